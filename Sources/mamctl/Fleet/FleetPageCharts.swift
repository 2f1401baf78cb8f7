// The page's charts.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem

extension FleetPage {
    var charts: HTML {
        """
        <section><h2>At a glance</h2>
        \(legend(SurveyedMachine.State.allCases.filter { sums.states[$0] != nil }
            .map { ($0.colour, $0.words.english) }))
        \(chart("Machines by state", [("All machines", stateParts)]))
        <div class="charts">
        \(chart("Why machines need attention", reasonBars))
        \(chart("Their last report", ageBars))
        \(chart("Versions of mamd", versionBars))
        \(chart("Most refused accesses, in 7 days", refusalBars))
        </div></section>
        """
    }

    private typealias Part = (kind: String, name: String, value: Int)
    private typealias Bar = (label: String, parts: [Part])

    private func chart(_ title: String, _ bars: [Bar]) -> HTML {
        guard !bars.isEmpty else {
            return "<figure><figcaption>\(title)</figcaption><p class=\"soft\">None.</p></figure>"
        }
        let bars = bars.map { bar in
            ReportBar(label: "<bdi>\(excerpt(of: bar.label))</bdi>", parts: bar.parts)
        }
        let axis = ReportAxis(upTo: bars.map(\.sum).max() ?? 0, unit: 1)
        return barChart(title, bars, axis) { $0.grouped.english }
    }

    private var stateParts: [Part] {
        SurveyedMachine.State.allCases.map { ($0.colour, $0.words.english, sums.states[$0] ?? 0) }
    }

    private var reasonBars: [Bar] {
        sums.attention.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { name, count in
            let label = reasonLabels[name] ?? name
            return (label, [("blocked", label, count)])
        }
    }

    private var ageBars: [Bar] {
        let (hour, day) = (3600, 86_400)
        let limits = [
            (hour, "within an hour"), (day, "within a day"), (7 * day, "within a week"),
            (30 * day, "within a month"), (Int.max, "longer ago"),
        ]
        var counts = [Int](repeating: 0, count: limits.count)
        for machine in survey.machines where !machine.isRevoked {
            guard let issued = machine.issued else { continue }
            let age = Int(survey.time - issued)
            counts[limits.firstIndex { age <= $0.0 } ?? limits.count - 1] += 1
        }
        let silent = (sums.states[.silent] ?? 0) + (sums.states[.refused] ?? 0)
        let bars = zip(limits, counts).map { limit, count -> Bar in
            let kind = limit.0 <= Int(survey.staleSeconds) ? "open" : "closed"
            return (limit.1, [(kind, limit.1, count)])
        }
        guard silent > 0 else { return bars }
        return bars + [("none that counts", [("plain", "none", silent)])]
    }

    private var versionBars: [Bar] {
        let sorted = sums.versions.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let bars = sorted.prefix(7).map { version, count -> Bar in
            (version, [("b", version, count)])
        }
        let rest = sorted.dropFirst(7).reduce(0) { $0 + $1.value }
        return bars + (rest > 0 ? [("others", [("c", "others", rest)])] : [])
    }

    private var refusalBars: [Bar] {
        let found = survey.machines.compactMap { machine -> (String, Int)? in
            guard let refused = machine.status?.refused, refused > 0, !machine.isRevoked
            else { return nil }
            // A machine may say any number, and the axis has to end somewhere.
            return (machine.label, min(Int(clamping: refused), 1_000_000))
        }
        return found.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.prefix(7).map { label, count in
            (label, [("refusal", "refused", count)])
        }
    }
}

extension SurveyedMachine.State {
    /// A class of the style sheet's.
    var colour: String {
        switch self {
        case .compliant: "open"
        case .attention: "blocked"
        case .stale: "closed"
        case .silent: "plain"
        case .refused: "refusal"
        case .retired, .revoked: "stopped"
        }
    }
}

/// By ``SurveyedMachine/Attention/name``.
let reasonLabels = [
    "refused": "report does not count", "silent": "no report yet", "stale": "stale",
    "early": "clock is ahead", "replayed": "old report put back",
    "auditUnreadable": "audit cannot be read",
    "revoked": "revoked, still reports", "problem": "check-ins fail",
    "notCompliant": "conditions not met", "blocked": "accounts blocked",
    "findings": "problems found by verify", "documents": "documents differ",
    "resetAsked": "new passphrase asked for",
    "overdue": "orders not obeyed", "expired": "orders expired unheard",
    "suspects": "strange documents refused", "settings": "settings not as asked",
]
