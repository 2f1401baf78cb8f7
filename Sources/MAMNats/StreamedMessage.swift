// Single messages of a stream, from its leader: the one replica that is never behind.

internal import MAMModel

/// A message of a stream.
package struct StreamedMessage: Sendable {
    package let subject: String
    package let payload: [UInt8]
    package let sequence: UInt64
}

extension NatsConnection {
    /// Calls `take` with the newest message of each subject; nil if there is none. In any order,
    /// and `lanes` at a time.
    package func lastMessages(
        of subjects: some Collection<String>, in stream: String, lanes: Int, milliseconds: Int64,
        _ take: (_ subject: String, StreamedMessage?) -> Void
    ) throws(NatsFailure) {
        var waiting = Array(subjects)[...]
        var asked = Array(waiting.prefix(lanes))
        waiting = waiting.dropFirst(lanes)
        let first = asked.map { StreamedMessage.request(["last_by_subj": .string($0)], of: stream) }
        try ask(first, milliseconds: milliseconds) { lane, answer throws(NatsFailure) in
            take(asked[lane], try StreamedMessage.parse(answer))
            guard let subject = waiting.popFirst() else { return nil }
            asked[lane] = subject
            return StreamedMessage.request(["last_by_subj": .string(subject)], of: stream)
        }
    }

    /// The newest message of a subject; nil if there is none.
    package func lastMessage(
        ofLeader subject: String, in stream: String, milliseconds: Int64
    ) throws(NatsFailure) -> StreamedMessage? {
        var found: StreamedMessage?
        try lastMessages(of: [subject], in: stream, lanes: 1, milliseconds: milliseconds) {
            found = $1
        }
        return found
    }

    /// The subjects that have messages in the stream.
    package func subjects(
        of stream: String, milliseconds: Int64
    ) throws(NatsFailure) -> Set<String> {
        var found: Set<String> = []
        while true {
            let answer = try call(
                "STREAM.INFO.\(stream)",
                ["subjects_filter": ">", "offset": .integer(Int64(found.count))],
                milliseconds: milliseconds
            ).object
            try requireQuorum(answer)
            let page = answer?["state"]?.object?["subjects"]?.object ?? [:]
            found.formUnion(page.keys)
            let total = answer?["total"]?.integer ?? 0
            if page.isEmpty || found.count >= total { return found }
        }
    }
}

extension StreamedMessage {
    static func request(_ what: [String: JSONValue], of stream: String) -> NatsRequest {
        NatsRequest(
            subject: "$JS.API.STREAM.MSG.GET.\(stream)",
            payload: JSONValue.object(what).encoded())
    }

    /// Nil if the stream has no such message.
    static func parse(_ answer: NatsMessage) throws(NatsFailure) -> StreamedMessage? {
        let json: JSONValue
        do throws(NatsFailure) { json = try answer.json() } catch {
            if case .stream(code: 10_037, _) = error { return nil }
            throw error
        }
        let members = json.object?["message"]?.object
        guard let subject = members?["subject"]?.text,
            let number = members?["seq"]?.integer, let sequence = UInt64(exactly: number),
            let payload = bytes(base64: members?["data"]?.text ?? "")
        else { throw .malformed }
        return StreamedMessage(subject: subject, payload: payload, sequence: sequence)
    }
}
