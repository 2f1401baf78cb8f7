// What was refused so that data stays with contained programs, by account, as the audit has it.

internal import MAMAudit
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import Synchronization

/// The records of a time.
struct ContainmentRefusals {
    /// Oldest first.
    private(set) var records: [Varlink.Audit.Record] = []

    /// More are of no use to a reader: the oldest go.
    private static let limit = 10_000

    static func has(_ record: Varlink.Audit.Record) -> Bool {
        record.event == LogMessage.refused.rawValue && record.rule == AuditRecord.containment
    }

    mutating func add(_ record: Varlink.Audit.Record) {
        guard Self.has(record) else { return }
        records.append(record)
        if records.count > Self.limit { records.removeFirst(Self.limit / 10) }
    }

    /// Those of one account, from a time on.
    func of(_ account: AccountReport, since start: Timestamp? = nil) -> ContainmentSum {
        var sum = ContainmentSum(account: account)
        for record in records where record.account.map(account.isNamed) == true {
            if let start, let time = Timestamp(record.time), time < start { continue }
            sum.count += record.count
            sum.last = record
        }
        return sum
    }
}

/// The contained programs of an account, and what was refused.
struct ContainmentSum {
    let account: AccountReport
    var count = 0
    var last: Varlink.Audit.Record?

    var programs: Int { account.containedPrograms ?? 0 }

    var json: JSONValue {
        [
            "account": .string(account.label), "programs": JSONValue(programs),
            "refusals": JSONValue(count), "last": last.json,
        ]
    }

    /// When, which program, which file or call, and the rule; nil if there is none.
    func lastText(timeFormat: String = "%H:%M:%S") -> String? {
        guard let last else { return nil }
        let time = Timestamp(last.time).map { localTime(Int($0.milliseconds / 1000), timeFormat) }
        let program = last.pid.map { "\(last.program ?? "?")[\($0)]" }
        let parts = [time, program, last.path ?? last.operation, last.rule.map { "(\($0))" }]
        return parts.compactMap(\.self).map { shown($0) }.joined(separator: " ")
    }
}

/// The refusals of the last day, shared between threads.
final class RecentRefusals: Sendable {
    /// Nil while the audit is not told.
    private let found = Mutex<ContainmentRefusals?>(nil)

    static var start: Timestamp {
        Timestamp(milliseconds: Timestamp.now.milliseconds - 86_400_000)
    }

    var all: ContainmentRefusals? { found.withLock { $0 } }

    /// Takes what is kept; with `follow`, then what comes, until the daemon ends.
    func take(from daemon: Daemon, follow: Bool = false) throws(Failure) {
        let request = Varlink.Audit.List(
            since: Self.start.text, event: LogMessage.refused.rawValue, follow: follow)
        found.withLock { $0 = ContainmentRefusals() }
        do throws(Failure) {
            try daemon.stream(request, about: "the audit") { reply in
                if let record = reply.record { found.withLock { $0?.add(record) } }
                return true
            }
        } catch {
            if error.status == .unreachable { throw error }
            found.withLock { $0 = nil }
        }
    }
}
