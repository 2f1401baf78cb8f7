// The display of `top`: rates, windows, events.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import MAMWords

/// The samples of one workspace.
final class TopView {
    private let interval: Double
    private var status: StatusReport?
    private var counters: [String: Int]?
    private var lastTime: SuspendingClock.Instant?
    /// The rates of each family, newest last.
    private var rates: [String: [Double]] = [:]
    var events: [String] = []
    /// Nil if the audit is not told.
    var refusals: ContainmentRefusals?

    private static let keptRates = 60
    /// Narrower screens show no totals.
    private static let totalWidth = 48
    private static let families: [(String, Message)] = [
        ("opens", "opens"), ("creations", "creations"), ("refusals", "refusals"),
        ("containment_refusals", "by containment"), ("decisions", "policy questions"),
        ("damaged_blocks", "damaged blocks"),
    ]

    init(every interval: Double) { self.interval = interval }

    func take(_ daemon: Daemon) throws {
        status = try daemon.status()
        let now = SuspendingClock.now
        let counters = try Self.counters(of: daemon)
        if let before = self.counters, let counters, let lastTime, now > lastTime {
            for (family, _) in Self.families {
                let count = (counters[family] ?? 0) - (before[family] ?? 0)
                let rate = Double(max(0, count)) / ((now - lastTime) / .seconds(1))
                rates[family] = ((rates[family] ?? []) + [rate]).suffix(Self.keptRates)
            }
        }
        (self.counters, lastTime) = (counters, now)
    }

    /// Nil if the daemon does not count.
    private static func counters(of daemon: Daemon) throws -> [String: Int]? {
        let text: String
        do throws(Failure) { text = try daemon.call(Varlink.Policy.Metrics()).text } catch {
            if error.status == .refused { return nil }
            throw error
        }
        return text.split(separator: "\n").reduce(into: [:]) { sums, line in
            // mamd_refusals_total{reason="policy"} 3
            guard line.hasPrefix("mamd_"), let value = line.split(separator: " ").last,
                let sample = line.split(whereSeparator: { $0 == " " || $0 == "{" }).first
            else { return }
            let family = sample.dropFirst("mamd_".count).dropLast("_total".count)
            sums[String(family), default: 0] += Int(value) ?? 0
        }
    }

    var json: JSONValue {
        let counts = (counters ?? [:]).mapValues { JSONValue($0) }
        return [
            "status": status.json,
            "counters": counters == nil ? .null : .object(counts),
            "perSecond": .object(rates.mapValues { .number(($0.last ?? 0)) }),
            "containment": sums.map { .array($0.map(\.json)) } ?? .null,
        ]
    }

    /// Of each account. Nil if nothing is to be counted, or the audit is not told.
    private var sums: [ContainmentSum]? {
        guard counters != nil, let refusals, let status else { return nil }
        return status.accounts.map { refusals.of($0, since: RecentRefusals.start) }
    }

    func lines(width: Int, height: Int) -> [String] {
        guard let status else { return [] }
        var lines = [heading(status, width), ""]
        lines += rateLines(width) + [""]
        let sums = sums
        for (index, account) in status.accounts.enumerated() {
            lines += accountLines(AccountLines(account), sums?[index], width)
        }
        if status.accounts.isEmpty { lines.append(("  no accounts" as Message).translated) }
        let room = height - lines.count - 2
        if !events.isEmpty, room > 0 {
            lines += ["", Style.output.bold(("Events" as Message).translated)]
            lines += events.suffix(room).reversed().map { "  \($0)" }
        }
        return lines
    }

    private func heading(_ status: StatusReport, _ width: Int) -> String {
        let place = ("  at \(shown(status.mountPoint))" as Message).translated
        let right = ("\(localTime(currentTime()))  q ends" as Message).translated
        let files = ("\(status.openFiles.counted("file")) in use" as Message).translated
        let room = width - status.name.count - right.count - 2
        // The key to quit takes precedence over the path.
        let rest =
            ["\(place)  \(files)", place, ""]
            .first { $0.count <= room } ?? ""
        let gap = max(2, room + 2 - rest.count)
        return Style.output.bold(status.name) + rest + String(repeating: " ", count: gap)
            + Style.output.faint(right)
    }

    private func rateLines(_ width: Int) -> [String] {
        guard let counters else {
            return [("  nothing is counted: MAMTelemetryDisabled is set" as Message).translated]
        }
        let chart = max(0, min(Self.keptRates, width - 46))
        return Self.families.map { family, name in
            let all = rates[family] ?? []
            let now = all.last.map(rateText) ?? "–"
            let cells = [
                "  " + name.translated.padded(to: 17), now.padded(to: 8, atEnd: false) + "/s  ",
                sparkline(Array(all.suffix(chart)), width: chart),
                width < Self.totalWidth
                    ? "" : "  " + Style.output.faint(total(counters[family] ?? 0)),
            ]
            return cells.joined()
        }
    }

    private func total(_ count: Int) -> String {
        ("total \(count.grouped)" as Message).translated
    }

    private func accountLines(
        _ account: AccountLines, _ containment: ContainmentSum?, _ width: Int
    ) -> [String] {
        let state = account.countdown.map { "\(account.state), \($0)" } ?? account.state
        let next: Message? = account.next.map { "next \($0)" }
        let refused: Message? = containment?.lastText().map { last in
            "refused by containment in a day: \((containment?.count ?? 0).grouped), last \(last)"
        }
        let details = [account.blockReason, account.use, refused, next].compactMap(\.self).map {
            wrapped(words(of: $0), after: "    ", hanging: 4, width: max(20, width))
        }
        return [
            "\(account.mark.translated) \(Style.output.bold(account.shown))  \(state.translated)"
        ]
            + details.flatMap { $0.split(separator: "\n").map(String.init) }
    }

    private func rateText(_ rate: Double) -> String {
        rate >= 100 || rate == 0
            ? Int(rate.rounded()).grouped.translated
            : "\(Int(rate * 10) / 10).\(Int(rate * 10) % 10)"
    }
}

private let bars = Array("▁▂▃▄▅▆▇█")

/// One character per value, scaled to the highest; empty if all are zero.
private func sparkline(_ values: [Double], width: Int) -> String {
    let highest = values.max() ?? 0
    let text = values.map { value -> Character in
        guard value > 0, highest > 0 else { return " " }
        return bars[min(bars.count - 1, Int(value / highest * Double(bars.count - 1)))]
    }
    return String(repeating: " ", count: max(0, width - text.count)) + String(text)
}

extension String {
    fileprivate func padded(to width: Int, atEnd: Bool = true) -> String {
        let space = String(repeating: " ", count: max(0, width - count))
        return atEnd ? self + space : space + self
    }
}
