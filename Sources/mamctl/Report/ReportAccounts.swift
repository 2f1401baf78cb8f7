// A report's sections on accounts: when they were open, their state, and their contained programs.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

extension ReportPage {
    var windows: HTML {
        guard let events = data.events else {
            return """
                <section><h2>When accounts were open</h2>
                <p>No events are kept, or they are not told to who made this report.</p></section>
                """
        }
        guard !data.status.accounts.isEmpty else { return "" }
        let start = data.time - data.days * 86_400
        let lines = data.status.accounts.map {
            AccountTimeline(of: $0, events, from: start, to: data.time)
        }
        let kinds = WindowStretch.allCases.filter { kind in
            lines.contains { $0.seconds(kind) > 0 }
        }
        let hasRefusals = lines.contains { $0.refusalCount > 0 }
        let refusals = hasRefusals ? [("refusal", "something was refused")] : []
        return """
            <section><h2>When accounts were open</h2>
            <p class="soft">The last \(data.days.counted("day").english), to
            \(localTime(data.time, "%a %e %B %H:%M")). Before the first event that is kept nothing
            is known.</p>
            \(legend(kinds.map { ($0.rawValue, $0.label) } + refusals))
            \(timelineChart(lines, from: start, to: data.time))
            \(timelineTable(lines))</section>
            """
    }

    private func timelineTable(_ lines: [AccountTimeline]) -> HTML {
        let rows = lines.map { line -> [HTML] in
            [
                "<bdi>\(line.account)</bdi>", HTML(line.seconds(.open).asDuration),
                HTML(line.seconds(.blocked).asDuration), HTML(line.unlocks.grouped.english),
                HTML(line.locks.grouped.english), HTML(line.refusalCount.grouped.english),
            ]
        }
        return htmlTable(
            "The same in numbers",
            [
                "Account", .number("Unlocked for"), .number("Blocked for"), .number("Unlocks"),
                .number("Locks"), .number("Refusals"),
            ], rows)
    }

    var accounts: HTML {
        guard !data.status.accounts.isEmpty else {
            return "<section><h2>Accounts</h2><p>There are none yet.</p></section>"
        }
        let rows = data.status.accounts.map { account -> [HTML] in
            [
                "<bdi>\(account.label)</bdi>", state(account), checkIn(account), limits(account),
                account.hasPassphrase ? "yes" : "no", conditions(account),
            ]
        }
        return """
            <section><h2>Accounts and their conditions</h2>
            \(htmlTable(
                "As they are now",
                [
                    "Account", "State", "Last check-in", "Without another", "Passphrase",
                    "Conditions not met",
                ], rows))</section>
            """
    }

    private func state(_ account: AccountReport) -> HTML {
        guard account.block == nil else {
            return "<span class=\"bad\">blocked</span>: \(account.blockReason)"
        }
        let open = (account.openClasses ?? []).map(\.letter).joined(separator: " ")
        let classes: HTML = open.isEmpty ? "" : "; open: \(open)"
        return switch account.state {
        case .unlocked: "<span class=\"ok\">unlocked</span>\(classes)"
        case .grace: "about to be locked\(classes)"
        case .locked, .beforeFirstUnlock: "locked\(classes)"
        }
    }

    private func checkIn(_ account: AccountReport) -> HTML {
        HTML(account.secondsSinceCheckIn.map(\.asTimeAgo.english) ?? "–")
    }

    private func limits(_ account: AccountReport) -> HTML {
        let parts = [
            account.offlineBlockSeconds.map { "blocked in \($0.asRoughDuration)" },
            account.offlineWipeSeconds.map { "wiped in \($0.asRoughDuration)" },
        ].compactMap(\.self)
        return HTML(parts.isEmpty ? "nothing" : parts.joined(separator: ", "))
    }

    private func conditions(_ account: AccountReport) -> HTML {
        let own = data.enrollments.first {
            $0.status.identity == account.name && $0.status.accountID == account.objectID
        }
        guard let findings = own?.findings, !findings.isEmpty else { return "none" }
        let items = findings.map { finding -> HTML in
            "\(finding.reason) (<code>\(finding.rule)</code>, \(finding.action.rawValue))"
        }
        return "\(items)"
    }
}

extension ReportPage {
    /// Empty if no program runs contained and nothing was refused.
    var contained: HTML {
        let sums =
            data.containment
            ?? data.status.accounts.map { ContainmentSum(account: $0) }
        guard sums.contains(where: { $0.programs > 0 || $0.count > 0 }) else { return "" }
        let isTold = data.containment != nil
        let rows = sums.map { sum -> [HTML] in
            [
                "<bdi>\(sum.account.label)</bdi>", HTML(sum.programs.grouped.english),
                isTold ? HTML(sum.count.grouped.english) : "not told",
                sum.lastText(timeFormat: "%e %b %H:%M:%S").map { "<bdi>\($0)</bdi>" } ?? "–",
            ]
        }
        return """
            <section><h2>Contained programs</h2>
            <p class="soft">What the daemon refused in the last \
            \(data.days.counted("day").english), so that
            data stays with contained programs. What the kernel refused them is not known.</p>
            \(htmlTable(
                "Running now, and refused",
                [
                    "Account", .number("Running"), .number("Refused"), "Last refused",
                ], rows))</section>
            """
    }
}
