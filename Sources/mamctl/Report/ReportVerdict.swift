// The findings of a report that need attention.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

struct ReportVerdict {
    private(set) var findings: [HTML] = []

    /// Older checks do not count.
    private static let verifyDays = 31

    init(_ data: ReportData) {
        judge(data.verify, now: data.time)
        judge(data.sums, data.total)
        let lost = (data.events ?? []).filter { $0.event == "dropped" }.reduce(0) { $0 + $1.count }
        if lost > 0 { findings.append("\(lost.counted("event").english) could not be kept.") }
        for account in data.status.accounts {
            if account.block != nil {
                findings.append(
                    "<bdi>\(account.label)</bdi> is blocked: \(account.blockReason)")
            } else if account.stage == .registered {
                findings.append("No policy covers <bdi>\(account.label)</bdi>.")
            }
        }
    }

    private mutating func judge(_ verify: LastVerifyReport?, now: Int) {
        guard let verify else {
            findings.append("The files were never checked as a whole: <code>mamctl verify</code>.")
            return
        }
        let counts = verify.counts
        let problems = counts.left + counts.quarantined + counts.incomplete
        if problems > 0 {
            findings.append(
                "The last check found \(problems.counted("problem").english) that could not be"
                    + " repaired without loss."
            )
        }
        let days = (now - verify.time) / 86_400
        if days > Self.verifyDays {
            findings.append("The last check was \(days) days ago: <code>mamctl verify</code>.")
        }
    }

    private mutating func judge(_ sums: [Varlink.Report.Sum], _ total: Varlink.Report.Totals) {
        func files(_ state: ProtectionState) -> Int {
            sums.filter { $0.state == state }.reduce(0) { $0 + $1.files }
        }
        let damaged = files(.damaged)
        if damaged > 0 {
            let have = damaged == 1 ? "has a header that is" : "have headers that are"
            findings.append("\(damaged.counted("file").english) \(have) damaged or cannot be read.")
        }
        let missing = files(.keyMissing)
        if missing > 0 {
            findings.append(
                "\(missing.counted("file").english) need keys that are not on this device.")
        }
        if total.unreadable > 0 {
            findings.append("\(total.unreadable.counted("name").english) could not be looked at.")
        }
    }
}
