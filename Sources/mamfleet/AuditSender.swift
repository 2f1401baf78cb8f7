// Sends the audit, batch by batch, without loss and without doubles.

internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMNats
internal import MAMSystem
internal import MAMWire

/// A batch is on disk before it is sent, and the position moves when the stream has acknowledged
/// it. So what is sent again after a crash in between is the same batch, which the stream knows.
final class AuditSender {
    private let shared: Shared
    private let daemon: DaemonLink
    /// The number of the last record that the stream has.
    private var position: Int
    /// The batch that was perhaps sent, and is not acknowledged.
    private var batch: Batch?
    /// The number of records in a batch.
    private var limit = 500

    private struct Batch {
        let from: Int64
        let to: Int64
        let report: String
        /// Whether it may be in the stream already, byte for byte.
        var wasSent: Bool
    }

    private static let positionFile = "audit-place.json"
    private static let batchFile = "audit-batch.json"

    init(_ shared: Shared, _ daemon: DaemonLink) {
        (self.shared, self.daemon) = (shared, daemon)
        let (position, flaw) = Self.position(in: shared.state)
        self.position = Int(clamping: position)
        // A batch that was acknowledged may still lie there.
        batch = shared.state.json(Self.batchFile)?.text
            .flatMap { Self.batch($0, wasSent: true) }
            .flatMap { $0.to > position ? $0 : nil }
        guard let flaw else { return }
        shared.log.warning(
            "\(shared.state.path)/\(Self.positionFile) \(flaw): the audit is sent again from record"
                + " \(batch?.from ?? 1)")
    }

    /// 0 also with a flaw, which tells why it is not known.
    private static func position(in state: StateDirectory) -> (Int64, flaw: String?) {
        do throws(Errno) {
            guard let bytes = try state.read(positionFile) else { return (0, nil) }
            let after = (try? JSONValue(parsing: bytes))?.object?["after"]?.integer
            return (after ?? 0, flaw: after == nil ? "is damaged" : nil)
        } catch { return (0, flaw: "cannot be read: \(error)") }
    }

    private static func batch(_ report: String, wasSent: Bool) -> Batch? {
        guard let envelope = try? ReportEnvelope(parsing: Array(report.utf8)),
            let payload = (try? JSONValue(parsing: envelope.payload))?.object,
            let from = payload["from"]?.integer, let to = payload["to"]?.integer, from <= to
        else { return nil }
        return Batch(from: from, to: to, report: report, wasSent: wasSent)
    }

    /// True if there was anything to send.
    func send(to connection: NatsConnection) throws -> Bool {
        var hasSent = false
        while let next = try batch ?? nextBatch() {
            batch?.wasSent = true
            do throws(NatsFailure) { try store(next, connection) } catch {
                guard error == .tooLong, limit > 1 else { throw error }
                // It was never sent, so another one may take its place.
                (batch, limit) = (nil, max(1, limit / 4))
                continue
            }
            try moveOn(to: Int(clamping: next.to))
            hasSent = true
        }
        return hasSent
    }

    private func store(_ next: Batch, _ connection: NatsConnection) throws(NatsFailure) {
        let subject = Subject.audit(shared.machine)
        let bytes = Array(next.report.utf8)
        let stored = try connection.store(
            subject, bytes, messageID: "\(shared.machine):\(next.from)")
        // Another batch that begins there: this directory was restored from a copy. Readers of
        // the stream leave doubles out.
        if stored.wasThere && !next.wasSent { try connection.store(subject, bytes) }
    }

    private func nextBatch() throws -> Batch? {
        let reply = try daemon.call(
            Varlink.Fleet.Audit(after: position, limit: limit))
        guard let report = reply.report else {
            // An older state of the daemon's was restored.
            if reply.last < position {
                shared.log.warning("the audit goes on from \(reply.last), before \(position)")
                try moveOn(to: reply.last)
            }
            return nil
        }
        guard let next = Self.batch(report, wasSent: false), next.to > position else {
            throw Unusable()
        }
        try shared.state.replace(
            Self.batchFile, with: JSONValue.string(report).encoded())
        batch = next
        return next
    }

    private func moveOn(to number: Int) throws {
        try shared.state.replace(
            Self.positionFile, with: JSONValue.object(["after": .integer(Int64(number))]).encoded())
        (position, batch) = (number, nil)
    }

    private struct Unusable: Error, CustomStringConvertible {
        let description = "the daemon's audit is not understood"
    }
}
