// Reads a stream in batches, with a consumer that the server forgets when nobody asks any more.

internal import CNats
internal import Glibc
internal import MAMModel

/// A message of a stream.
package struct StreamedMessage: Sendable {
    package let subject: String
    package let payload: [UInt8]
    package let sequence: UInt64
    /// The number of messages after it.
    package let pending: UInt64
}

/// One thread uses it. Holds one batch in memory at a time.
package final class StreamReader {
    /// The messages to read.
    package enum Start: Sendable {
        case at(UInt64)
        /// The newest of each subject.
        case lastOfEachSubject
    }

    private let connection: NatsConnection
    private let stream: String
    private let consumer: String
    private let inbox: String
    private let subscription: OpaquePointer
    /// The number of the last request: the end of a former one is ignored.
    private var requestNumber = 0

    private static let batchCount = 500
    private static let batchByteCount = 16 << 20
    private static let forgottenAfterSeconds: Int64 = 60

    package init(
        _ connection: NatsConnection, _ stream: String, _ start: Start, subject: String? = nil
    ) throws(NatsFailure) {
        (self.connection, self.stream) = (connection, stream)
        consumer = try Self.makeConsumer(connection, stream, start, subject)
        inbox = connection.makeInbox()
        subscription = try connection.subscribe("\(inbox).*")
    }

    // The server may still say that there is no more.
    deinit { connection.end(subscription) }

    private static func makeConsumer(
        _ connection: NatsConnection, _ stream: String, _ start: Start, _ subject: String?
    ) throws(NatsFailure) -> String {
        var settings: [String: JSONValue] = [
            "ack_policy": "none", "replay_policy": "instant",
            "num_replicas": 1,
            "inactive_threshold": .integer(forgottenAfterSeconds * 1_000_000_000),
        ]
        switch start {
        case .at(let sequence):
            settings["deliver_policy"] = "by_start_sequence"
            settings["opt_start_seq"] = .integer(Int64(clamping: max(1, sequence)))
            settings["filter_subject"] = subject.map { .string($0) }
        case .lastOfEachSubject:
            settings["deliver_policy"] = "last_per_subject"
            // The server requires one.
            settings["filter_subject"] = .string(subject ?? ">")
        }
        let answer = try connection.call(
            "CONSUMER.CREATE.\(stream)",
            ["stream_name": .string(stream), "config": .object(settings)])
        guard let name = answer.object?["name"]?.text else { throw .malformed }
        return name
    }

    /// The next messages, in order; empty if there are none.
    package func next() throws(NatsFailure) -> [StreamedMessage] {
        let request: JSONValue = [
            "batch": .integer(Int64(Self.batchCount)),
            "max_bytes": .integer(Int64(Self.batchByteCount)), "no_wait": true,
        ]
        requestNumber += 1
        let reply = "\(inbox).\(requestNumber)"
        try connection.publish(
            "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)",
            request.encoded(), replyTo: reply)
        return try receive(reply)
    }

    /// Receives until the batch is full or ends, or the last message of the stream is here.
    private func receive(_ reply: String) throws(NatsFailure) -> [StreamedMessage] {
        var found: [StreamedMessage] = []
        while found.count < Self.batchCount {
            var raw: OpaquePointer?
            let status = natsSubscription_NextMsg(&raw, subscription, 5000)
            guard status == NATS_OK, let raw else { throw .ofThread(status) }
            let message = NatsMessage(raw)
            natsMsg_Destroy(raw)
            if message.status != nil {
                if message.subject == reply { return found }
                continue
            }
            guard let streamed = StreamedMessage(message) else { throw .malformed }
            found.append(streamed)
            if streamed.pending == 0 { return found }
        }
        return found
    }
}

extension StreamedMessage {
    /// `$JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE.CONSUMED.TIME.PENDING`, or with the domain and
    /// the account's hash after `$JS.ACK`, and one more token at the end.
    fileprivate init?(_ message: NatsMessage) {
        guard let reply = message.reply else { return nil }
        let tokens = reply.split(separator: ".")
        let offset = tokens.count == 9 ? 0 : 2
        guard tokens.count >= 9 + offset, let sequence = UInt64(tokens[5 + offset]),
            let pending = UInt64(tokens[8 + offset])
        else { return nil }
        self.init(
            subject: message.subject, payload: message.payload, sequence: sequence,
            pending: pending)
    }
}
