// Turns events into periods in which an account was open, closed or blocked.

internal import MAMModel
internal import MAMWire

/// The state of an account's window during a period.
enum WindowStretch: String, CaseIterable {
    case open, closed, blocked
    /// No daemon ran.
    case stopped
    /// There are no records of this period.
    case unknown

    var label: String {
        switch self {
        case .open: "unlocked"
        case .closed: "locked"
        case .blocked: "blocked by policy"
        case .stopped: "not mounted"
        case .unknown: "not known"
        }
    }
}

/// One account's last days.
struct AccountTimeline {
    let account: String
    private(set) var stretches: [(from: Int, to: Int, kind: WindowStretch)] = []
    /// Refusals to mark, with their counts.
    private(set) var refusals: [(time: Int, count: Int)] = []
    private(set) var unlocks = 0
    private(set) var locks = 0
    /// In seconds.
    private let resolution: Int

    /// `events`: all of the workspace's, oldest first.
    init(of account: AccountReport, _ events: [ReportEvent], from start: Int, to end: Int) {
        self.account = account.label
        resolution = (end - start) / 400
        let own = events.filter {
            ($0.account.map(account.isNamed) ?? ["started", "stopped"].contains($0.event))
                && (start...end).contains($0.time)
        }
        var (since, kind) = (start, WindowStretch.unknown)
        for event in own {
            note(event)
            guard let next = Self.kind(after: event.event), next != kind else { continue }
            add(since, event.time, kind)
            (since, kind) = (event.time, next)
        }
        // The last period reaches to now.
        add(since, end, kind)
    }

    func seconds(_ kind: WindowStretch) -> Int {
        stretches.filter { $0.kind == kind }.reduce(0) { $0 + $1.to - $1.from }
    }

    var refusalCount: Int { refusals.reduce(0) { $0 + $1.count } }

    private mutating func add(_ from: Int, _ to: Int, _ kind: WindowStretch) {
        if to > from { stretches.append((from, to, kind)) }
    }

    private mutating func note(_ event: ReportEvent) {
        switch event.event {
        case "unlocked": unlocks += 1
        case "locked": locks += 1
        case "refused", "denied": addRefusal(event)
        default: break
        }
    }

    /// Merges refusals that would overlap, which bounds the size of the page.
    private mutating func addRefusal(_ event: ReportEvent) {
        if let last = refusals.last, event.time - last.time < resolution {
            refusals[refusals.count - 1].count += event.count
        } else {
            refusals.append((event.time, event.count))
        }
    }

    /// Nil if the event does not change the window.
    private static func kind(after event: String) -> WindowStretch? {
        switch event {
        case "registered", "unlocked": .open
        // A daemon starts with closed windows.
        case "locked", "unblocked", "started": .closed
        case "blocked": .blocked
        case "stopped", "wiped", "deregistered": .stopped
        default: nil
        }
    }
}
