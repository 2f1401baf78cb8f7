// The audit, batch by batch, without loss and without doubles.

internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// A batch is on disk before it is sent, and the place moves after the stream's word. So one that
/// is sent once more, after a crash in between, is the same one, which the stream knows.
final class AuditSender {
    private let shared: Shared
    private let daemon: DaemonLink
    /// The last number that the stream has.
    private var place: Int
    /// Sent, perhaps, and not confirmed.
    private var batch: Batch?
    /// Records in a batch.
    private var limit = 500

    private struct Batch {
        let from: Int64
        let to: Int64
        let report: String
        /// It may be in the stream already, byte for byte.
        var wasSent: Bool
    }

    private static let placeFile = "audit-place.json"
    private static let batchFile = "audit-batch.json"

    init(_ shared: Shared, _ daemon: DaemonLink) {
        (self.shared, self.daemon) = (shared, daemon)
        let place = shared.state.json(Self.placeFile)?.object?["after"]?.integer ?? 0
        self.place = Int(clamping: place)
        // One that was confirmed may still lie there.
        batch = shared.state.json(Self.batchFile)?.text
            .flatMap { Self.batch($0, wasSent: true) }
            .flatMap { $0.to > place ? $0 : nil }
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
        // Another batch that begins there: this directory was restored from a copy. Who reads the
        // stream leaves doubles out.
        if stored.wasThere && !next.wasSent { try connection.store(subject, bytes) }
    }

    private func nextBatch() throws -> Batch? {
        let reply = try daemon.call(
            Varlink.Fleet.Audit(after: place, limit: limit))
        guard let report = reply.report else {
            // An older state of the daemon's was restored.
            if reply.last < place {
                shared.log.warning("the audit goes on from \(reply.last), before \(place)")
                try moveOn(to: reply.last)
            }
            return nil
        }
        guard let next = Self.batch(report, wasSent: false), next.to > place else {
            throw Unusable()
        }
        try shared.state.replace(
            Self.batchFile, with: JSONValue.string(report).encoded())
        batch = next
        return next
    }

    private func moveOn(to number: Int) throws {
        try shared.state.replace(
            Self.placeFile, with: JSONValue.object(["after": .integer(Int64(number))]).encoded())
        (place, batch) = (number, nil)
    }

    private struct Unusable: Error, CustomStringConvertible {
        let description = "the daemon's audit is not understood"
    }
}
