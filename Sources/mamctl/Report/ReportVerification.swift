// A report's section on the last check of all files.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

extension ReportPage {
    var verification: HTML {
        guard let verify = data.verify else {
            return """
                <section><h2>Verification</h2>
                <p>No check of the whole workspace has come to its end yet, or its result is not
                yours to see: <code>mamctl verify</code>.</p></section>
                """
        }
        return """
            <section><h2>Verification</h2>
            <p>Every block of every file was last checked on \
            \(localTime(verify.time, "%e %B %Y at %H:%M"))\(verify.repair ? ", with repairs" : "").
            \(result(verify))</p>
            \(counts(verify.counts))
            \(findings(verify))</section>
            """
    }

    private func result(_ verify: LastVerifyReport) -> HTML {
        switch verify.counts.status {
        case .success: "<span class=\"ok\">Nothing is wrong.</span>"
        case .windowClosed:
            "What could be checked is sound; the rest needs an account to be unlocked."
        default: "<span class=\"bad\">There is damage, or content may be missing.</span>"
        }
    }

    private func counts(_ counts: VerifyReport) -> HTML {
        let rows: [(String, Int)] = [
            ("Files checked", counts.files - counts.uncheckedFiles),
            ("Files not checked, for want of a key", counts.uncheckedFiles),
            ("Foreign files, which have no header", counts.foreign),
            ("Problems left as they are", counts.left),
            ("Problems repaired", counts.repaired - counts.incomplete),
            ("Repaired, and content may be missing", counts.incomplete),
            ("Moved to quarantine", counts.quarantined),
        ]
        return htmlTable(
            "\(counts.bytes.asBytes) read",
            ["Outcome", .number("How many")],
            rows.map { [HTML($0.0), HTML($0.1.grouped.english)] })
    }

    private func findings(_ verify: LastVerifyReport) -> HTML {
        guard !verify.findings.isEmpty else { return "" }
        let rows = verify.findings.map { finding -> [HTML] in
            [
                "<code>\(finding.path)</code>", HTML(finding.reason),
                HTML(finding.outcome.rawValue), HTML(finding.action ?? "–"),
            ]
        }
        let all =
            verify.counts.left + verify.counts.repaired + verify.counts.quarantined
            + verify.counts.unchecked
        return htmlTable(
            all > rows.count
                ? "The first \(rows.count) findings of \(all.grouped.english)" : "Findings",
            ["Path", "What is wrong", "Outcome", "What was done"], rows)
    }
}
