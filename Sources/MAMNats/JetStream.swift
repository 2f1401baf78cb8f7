// JetStream's requests: plain messages with JSON (docs.nats.io/reference/reference-protocols).

package import MAMModel

extension NatsConnection {
    /// The newest message of a subject; nil if there is none. By any replica, without a consumer.
    package func lastMessage(
        of subject: String, in stream: String
    ) throws(NatsFailure) -> NatsMessage? {
        let answer = try request("$JS.API.DIRECT.GET.\(stream).\(subject)")
        switch answer.status {
        case nil: return answer
        case 404: return nil
        case .some(let status): throw .stream(code: status, "direct get of \(subject)")
        }
    }

    /// Stores a message in the stream of its subject. Returns once the stream has acknowledged
    /// it as durable. `messageID`: a second one of that id is not stored. `after`: is refused
    /// (``NatsFailure/isOutrun``) unless this is the subject's last sequence number.
    @discardableResult
    package func store(
        _ subject: String, _ payload: [UInt8], messageID: String? = nil,
        after sequence: UInt64? = nil, milliseconds: Int64 = 10_000
    ) throws(NatsFailure) -> StoredMessage {
        guard payload.count <= maximumPayload else { throw .tooLong }
        var headers: [String: String] = [:]
        headers["Nats-Msg-Id"] = messageID
        headers["Nats-Expected-Last-Subject-Sequence"] = sequence.map { "\($0)" }
        let answer = try request(
            subject, payload, headers: headers, timeoutMilliseconds: milliseconds
        ).json()
        guard let number = answer.object?["seq"]?.integer, let sequence = UInt64(exactly: number)
        else { throw .malformed }
        return StoredMessage(
            sequence: sequence, wasThere: answer.object?["duplicate"]?.bool ?? false)
    }

    /// Calls the API, and throws the error that the answer has.
    package func call(
        _ name: String, _ parameters: JSONValue = [:], milliseconds: Int64 = 10_000
    ) throws(NatsFailure) -> JSONValue {
        try request(
            "$JS.API.\(name)", parameters.encoded(), timeoutMilliseconds: milliseconds
        ).json()
    }
}

extension NatsMessage {
    /// Of several hundred thousand subjects.
    private static let maximumCount = 1_000_000

    /// An answer of JetStream's; throws the error that it has.
    func json() throws(NatsFailure) -> JSONValue {
        switch status {
        case nil: break
        case 503: throw .noStream
        case .some(let status): throw .stream(code: status, "no answer of the stream")
        }
        guard let json = try? JSONValue(parsing: payload, maximumCount: Self.maximumCount) else {
            throw .malformed
        }
        if let error = json.object?["error"]?.object {
            let code = error["err_code"]?.integer ?? error["code"]?.integer ?? 0
            throw .stream(
                code: Int(clamping: code), error["description"]?.text ?? "no reason is told")
        }
        return json
    }
}

/// A stream's acknowledgement of a message.
package struct StoredMessage: Sendable {
    package let sequence: UInt64
    /// Whether a message of that id was there already.
    package let wasThere: Bool
}

extension NatsFailure {
    /// Another message of the subject came in between.
    package var isOutrun: Bool {
        if case .stream(code: 10_071, _) = self { return true }
        return false
    }

    package var isUnknownStream: Bool {
        if case .stream(code: 10_059, _) = self { return true }
        return false
    }

    /// Whether it may end by itself: a server has just died, or a stream has no leader yet.
    package var mayPass: Bool {
        switch self {
        case .connection, .timeout, .noStream: true
        case .stream(let code, _): Self.passingCodes.contains(code)
        case .notAllowed, .untrusted, .plain, .tooLong, .malformed: false
        }
    }

    /// No peers, not active, not available, not the leader, no resources, JetStream not enabled
    /// yet, offline.
    private static let passingCodes: Set<Int> = [
        10_005, 10_006, 10_008, 10_009, 10_023, 10_039, 10_076, 10_118,
    ]
}

/// Of what a stream tells about itself: a replica without a leader answers too, as does a leader
/// that the others have lost, and neither may have the newest messages.
func requireQuorum(_ answer: [String: JSONValue]?) throws(NatsFailure) {
    // A server alone names no cluster.
    guard let cluster = answer?["cluster"]?.object else { return }
    let others = cluster["replicas"]?.array ?? []
    let following = others.count { $0.object?["current"]?.bool == true }
    guard cluster["leader"]?.text?.isEmpty == false, (following + 1) * 2 > others.count + 1 else {
        throw .stream(code: 10_008, "too few of its replicas are there")
    }
}

/// What identifies a stream, and how far it goes.
package struct StreamState: Sendable {
    /// When it was made, in the server's words; of another one of the same name it differs.
    package let created: String
    /// The number of its last message, which may be gone; 0 if there was none.
    package let last: UInt64
}

extension NatsConnection {
    /// Of all streams that there are: an account has far fewer than one answer takes. If there are
    /// none, the answer may have null.
    package func streamNames(milliseconds: Int64) throws(NatsFailure) -> Set<String> {
        let streams = try call("STREAM.NAMES", milliseconds: milliseconds).object?["streams"]
        if case .null? = streams { return [] }
        let names = streams?.array?.map(\.text)
        guard let names, !names.contains(nil) else { throw .malformed }
        return Set(names.compactMap(\.self))
    }

    package func state(
        of stream: String, milliseconds: Int64
    ) throws(NatsFailure) -> StreamState {
        let answer = try call("STREAM.INFO.\(stream)", milliseconds: milliseconds).object
        try requireQuorum(answer)
        guard let created = answer?["created"]?.text,
            let last = answer?["state"]?.object?["last_seq"]?.integer
        else { throw .malformed }
        return StreamState(created: created, last: UInt64(clamping: last))
    }
}
