// A report's section on contained programs.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

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
