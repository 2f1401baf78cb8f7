// Sends what the daemon reports: the status, recovery records, the audit.

internal import MAMCrypto
internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMNats
internal import MAMSystem
internal import MAMWire

/// One thread, which may wait for the network. All reports are signed by the daemon.
final class Reporter {
    private let shared: Shared
    private let daemon: DaemonLink
    private let audit: AuditSender
    private var hasNews = true
    private var nextStatus = Deadline.now
    private var earliestStatus = Deadline.now
    /// The digest of the record that the server has, by account.
    private var records: [String: JSONValue]
    private var lastWords = ""

    private static let lookSeconds = 10
    private static let statusSeconds = 900
    private static let shortestStatusSeconds = 10
    static let recordsFile = "records.json"

    init(_ shared: Shared) {
        self.shared = shared
        daemon = DaemonLink(shared.place)
        audit = AuditSender(shared, daemon)
        records = shared.state.json(Self.recordsFile)?.object ?? [:]
    }

    func run() -> Never {
        while true {
            if !shared.reports.take(until: Deadline(seconds: Self.lookSeconds)).isEmpty {
                hasNews = true
            }
            guard let connection = shared.connection else { continue }
            do {
                try report(to: connection)
                lastWords = ""
            } catch { say(error) }
        }
    }

    private func say(_ error: any Error) {
        let words = (error as? VarlinkClient.Failure)?.words ?? "\(error)"
        if words != lastWords { shared.log.info("a report was not sent: \(words)") }
        lastWords = words
    }

    private func report(to connection: NatsConnection) throws {
        if try audit.send(to: connection) { hasNews = true }
        guard hasNews && earliestStatus.hasPassed || nextStatus.hasPassed else { return }
        hasNews = false
        earliestStatus = Deadline(seconds: Self.shortestStatusSeconds)
        // This is set first, so that what fails is not tried faster than that.
        nextStatus = jittered(seconds: Self.statusSeconds)
        do {
            let report = try daemon.call(Varlink.Fleet.Status()).report
            try connection.store(Subject.status(shared.machine), Array(report.utf8))
            try sendRecords(to: connection)
        } catch {
            hasNews = true
            throw error
        }
    }

    private func sendRecords(to connection: NatsConnection) throws {
        for record in try daemon.call(Varlink.Fleet.Records()).records {
            guard let account = Bytes16(hex: record.account) else { continue }
            let bytes = Array(record.report.utf8)
            let digest = JSONValue.string(hexadecimal(SHA256.digest(of: content(of: bytes))))
            guard records[record.account] != digest else { continue }
            try connection.store(
                Subject.records(shared.machine, account: account.description), bytes)
            records[record.account] = digest
            keepRecords()
        }
    }

    private func keepRecords() {
        do throws(Errno) {
            try shared.state.replace(
                Self.recordsFile, with: JSONValue.object(records).encoded())
        } catch { shared.log.warning("\(Self.recordsFile) is not kept: \(error)") }
    }

    /// The report without what differs each time that the same record is signed.
    private func content(of report: [UInt8]) -> [UInt8] {
        guard let payload = (try? ReportEnvelope(parsing: report))?.payload,
            var members = (try? JSONValue(parsing: payload))?.object
        else { return report }
        for name in ["issued", "sequence"] { members[name] = nil }
        return JSONValue.object(members).encoded()
    }
}
