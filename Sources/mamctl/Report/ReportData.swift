// The data of a report.

internal import Glibc
internal import MAMAudit
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

struct ReportData {
    let time: Int
    let days: Int
    let status: StatusReport
    let sums: [Varlink.Report.Sum]
    let total: Varlink.Report.Totals
    /// The replies of io.mamd.Policy.Show for each account that the caller controls.
    let policies: [(account: String, policy: Varlink.Policy.Show.Reply)]
    /// The reply of io.mamd.Enrollment.List.
    let enrollments: [Varlink.Enrollment.Enrollment]
    /// Nil if there was none yet or the caller may not see it.
    let verify: LastVerifyReport?
    /// Nil if no events are stored or the caller may not see them.
    let events: [ReportEvent]?

    init(of daemon: Daemon, days: Int) throws {
        (time, self.days) = (currentTime(), days)
        status = try daemon.status()
        (sums, total) = try Self.census(of: daemon)
        policies = try status.accounts.compactMap { account in
            try daemon.ifTold(Varlink.Policy.Show(account: account.label))
                .map { (account.label, $0) }
        }
        enrollments = try daemon.ifTold(Varlink.Enrollment.List())?.enrollments ?? []
        verify = try daemon.ifTold(Varlink.Report.LastVerify())?.verify
        events = try Self.events(of: daemon, since: time - days * 86_400)
    }

    private static func census(
        of daemon: Daemon
    ) throws -> ([Varlink.Report.Sum], Varlink.Report.Totals) {
        let shown = Progress()
        var last: Varlink.Report.Census.Reply?
        try daemon.stream(Varlink.Report.Census()) { reply in
            last = reply
            if let progress = reply.progress {
                shown.files = progress.files
                shown.show()
            }
            return true
        }
        shown.clear()
        guard let sums = last?.sums, let total = last?.total else { throw daemon.hasEnded }
        return (sums, total)
    }

    private static let eventLimit = 100_000

    private static func events(of daemon: Daemon, since: Int) throws -> [ReportEvent]? {
        let request = Varlink.Audit.List(
            since: Timestamp(milliseconds: Int64(since) * 1000).text, limit: eventLimit)
        var events: [ReportEvent] = []
        do throws(Failure) {
            try daemon.stream(request, about: "events") { reply in
                if let event = reply.record.flatMap({ ReportEvent($0) }) { events.append(event) }
                return true
            }
        } catch {
            if error.status == .unreachable { throw error }
            return nil
        }
        return events
    }

    var json: JSONValue {
        [
            "time": JSONValue(time), "days": JSONValue(days),
            "status": status.json, "census": ["sums": sums.json, "total": total.json],
            "policies": policies.map(\.policy).json, "enrollments": enrollments.json,
            "verify": verify.json,
            "events": events?.map(\.record).json ?? .null,
            "containment": containment.map { .array($0.map(\.json)) } ?? .null,
        ]
    }

    /// Of each account, in these days. Nil if no events are told.
    var containment: [ContainmentSum]? {
        guard let events else { return nil }
        var refusals = ContainmentRefusals()
        for event in events { refusals.add(event.record) }
        return status.accounts.map { refusals.of($0) }
    }
}

/// An audit record with its time.
struct ReportEvent {
    /// Seconds since 1970.
    let time: Int
    let record: Varlink.Audit.Record

    init?(_ record: Varlink.Audit.Record) {
        guard let time = Timestamp(record.time) else { return nil }
        self.time = Int(time.milliseconds / 1000)
        self.record = record
    }

    var event: String { record.event }
    var account: String? { record.account }
    var count: Int { record.count }
}
