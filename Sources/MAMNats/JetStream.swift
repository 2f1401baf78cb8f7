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
        after sequence: UInt64? = nil
    ) throws(NatsFailure) -> StoredMessage {
        guard payload.count <= maximumPayload else { throw .tooLong }
        var headers: [String: String] = [:]
        headers["Nats-Msg-Id"] = messageID
        headers["Nats-Expected-Last-Subject-Sequence"] = sequence.map { "\($0)" }
        let answer = try json(request(subject, payload, headers: headers))
        guard let number = answer.object?["seq"]?.integer, let sequence = UInt64(exactly: number)
        else { throw .malformed }
        return StoredMessage(
            sequence: sequence, wasThere: answer.object?["duplicate"]?.bool ?? false)
    }

    /// Calls the API, and throws the error that the answer has.
    package func call(
        _ name: String, _ parameters: JSONValue = [:]
    ) throws(NatsFailure) -> JSONValue {
        try json(request("$JS.API.\(name)", parameters.encoded()))
    }

    private func json(_ message: NatsMessage) throws(NatsFailure) -> JSONValue {
        guard message.status == nil else {
            throw .stream(code: message.status ?? 0, "no answer of the stream")
        }
        guard let json = try? JSONValue(parsing: message.payload) else { throw .malformed }
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
    package func streamNames() throws(NatsFailure) -> Set<String> {
        let streams = try call("STREAM.NAMES").object?["streams"]
        if case .null? = streams { return [] }
        let names = streams?.array?.map(\.text)
        guard let names, !names.contains(nil) else { throw .malformed }
        return Set(names.compactMap(\.self))
    }

    package func state(of stream: String) throws(NatsFailure) -> StreamState {
        let answer = try call("STREAM.INFO.\(stream)").object
        guard let created = answer?["created"]?.text,
            let last = answer?["state"]?.object?["last_seq"]?.integer
        else { throw .malformed }
        return StreamState(created: created, last: UInt64(clamping: last))
    }
}
