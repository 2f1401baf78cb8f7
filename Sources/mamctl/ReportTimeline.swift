// From events to stretches of time in which an account was open, closed or blocked.

internal import MAMModel
internal import MAMWire

/// How an account's window was.
enum WindowStretch: String, CaseIterable {
    case open, closed, blocked
    /// No daemon ran.
    case stopped
    /// Nothing is known of this time.
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
    /// Moments of what is worth a mark, and how many.
    private(set) var refusals: [(time: Int, count: Int)] = []
    private(set) var unlocks = 0
    private(set) var locks = 0
    /// Seconds.
    private let resolution: Int

    /// `events`: the oldest first, those of others and of the workspace among them.
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
        // What is so now was so since the last that was heard, or nobody knows.
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

    /// Those that would be drawn upon each other are one: however many there are, the page stays
    /// small.
    private mutating func addRefusal(_ event: ReportEvent) {
        if let last = refusals.last, event.time - last.time < resolution {
            refusals[refusals.count - 1].count += event.count
        } else {
            refusals.append((event.time, event.count))
        }
    }

    /// Nil for what does not change a window.
    private static func kind(after event: String) -> WindowStretch? {
        switch event {
        case "registered", "unlocked": .open
        // A daemon begins with closed windows.
        case "locked", "unblocked", "started": .closed
        case "blocked": .blocked
        case "stopped", "wiped", "deregistered": .stopped
        default: nil
        }
    }
}
