// All that a report is made from.

internal import Glibc
internal import MAMAudit
internal import MAMModel
internal import MAMSystem
internal import MAMWire

struct ReportData {
    let time: Int
    let days: Int
    let status: StatusReport
    let sums: [Varlink.Report.Sum]
    let total: Varlink.Report.Totals
    /// As io.mamd.Policy.Show answers, for each account that answers to the caller.
    let policies: [(account: String, policy: Parameters)]
    /// As io.mamd.Enrollment.List answers.
    let enrollments: [Parameters]
    /// Nil if there was none yet, or it is not told to the caller.
    let verify: LastVerifyReport?
    /// Nil if no events are kept, or they are not told.
    let events: [ReportEvent]?

    init(of daemon: Daemon, days: Int) throws {
        (time, self.days) = (currentTime(), days)
        status = try daemon.status()
        (sums, total) = try Self.census(of: daemon)
        policies = try status.accounts.compactMap { account in
            try daemon.ifTold("Policy.Show", ["account": .string(account.label)])
                .map { (account.label, $0) }
        }
        enrollments =
            try daemon.ifTold("Enrollment.List").map { try $0.objects("enrollments") } ?? []
        verify = try daemon.ifTold("Report.LastVerify")
            .flatMap { try $0.optionalObject("verify").map(LastVerifyReport.init) }
        events = try Self.events(of: daemon, since: time - days * 86_400)
    }

    private static func census(
        of daemon: Daemon
    ) throws -> ([Varlink.Report.Sum], Varlink.Report.Totals) {
        let shown = Progress()
        var last: Parameters?
        try daemon.stream("Report.Census", about: "workspace '\(daemon.name)'") { reply in
            if let progress = try? Varlink.Report.Census.Reply(reply).progress {
                shown.files = progress.files
                shown.show()
            } else {
                last = reply
            }
            return true
        }
        shown.clear()
        guard let last else {
            throw Failure(.unreachable, "the daemon of workspace '\(daemon.name)' ended")
        }
        return (try last.value("sums"), try last.value("total"))
    }

    private static let eventLimit = 100_000

    private static func events(of daemon: Daemon, since: Int) throws -> [ReportEvent]? {
        let parameters: [String: JSONValue] = [
            "since": .string(Timestamp(milliseconds: Int64(since) * 1000).text),
            "limit": JSONValue(eventLimit),
        ]
        var events: [ReportEvent] = []
        do throws(Failure) {
            try daemon.stream("Audit.List", parameters, about: "events") { reply in
                if let record = try? reply.optionalObject("record"),
                    let event = ReportEvent(record)
                {
                    events.append(event)
                }
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
            "status": .object(status.members),
            "census": ["sums": .array(sums.map(\.json)), "total": total.json],
            "policies": .array(policies.map { .object($0.policy.members) }),
            "enrollments": .array(enrollments.map { .object($0.members) }),
            "verify": verify?.json ?? .null,
            "events": events.map { .array($0.map(\.json)) } ?? .null,
        ]
    }
}

/// Something that happened: as much of io.mamd.Audit's type Record as a report shows.
struct ReportEvent {
    /// Seconds since 1970.
    let time: Int
    let event: String
    let account: String?
    let count: Int
    let json: JSONValue

    init?(_ record: Parameters) {
        guard let text = try? record.string("time"), let time = Timestamp(text),
            let event = try? record.string("event")
        else { return nil }
        self.time = Int(time.milliseconds / 1000)
        self.event = event
        account = (try? record.optionalString("account")) ?? nil
        count = ((try? record.optionalInteger("count")) ?? nil) ?? 1
        json = .object(record.members)
    }
}

extension Daemon {
    /// Nil for what this daemon does not have, and for what it does not tell this caller.
    fileprivate func ifTold(
        _ method: String, _ parameters: [String: JSONValue] = [:]
    ) throws(Failure) -> Parameters? {
        do throws(Failure) {
            return try call(method, parameters, about: "workspace '\(name)'")
        } catch {
            if error.status == .unreachable { throw error }
            return nil
        }
    }
}
