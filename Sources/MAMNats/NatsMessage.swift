// Messages as values, copied from libnats'.

internal import CNats
internal import Glibc

/// A message that arrived.
package struct NatsMessage: Sendable {
    package let subject: String
    package let reply: String?
    package let payload: [UInt8]
    /// The status of an answer that is no message, such as 404 or 408; nil for a message.
    package let status: Int?

    init(_ raw: OpaquePointer) {
        subject = natsMsg_GetSubject(raw).map { String(cString: $0) } ?? ""
        reply = natsMsg_GetReply(raw).map { String(cString: $0) }
        let count = Int(natsMsg_GetDataLength(raw))
        payload =
            count > 0
            ? natsMsg_GetData(raw).map {
                Array(UnsafeRawBufferPointer(start: $0, count: count))
            } ?? [] : []
        status = Self.header("Status", of: raw).flatMap { Int($0) }
    }

    private static func header(_ name: String, of raw: OpaquePointer) -> String? {
        var value: UnsafePointer<CChar>?
        guard natsMsgHeader_Get(raw, name, &value) == NATS_OK else { return nil }
        return value.map { String(cString: $0) }
    }
}

/// A message that is to be sent.
struct OutgoingMessage: ~Copyable {
    let raw: OpaquePointer

    private init(owning raw: OpaquePointer) { self.raw = raw }

    static func make(
        _ subject: String, _ payload: [UInt8], replyTo inbox: String? = nil,
        headers: [String: String] = [:]
    ) throws(NatsFailure) -> OutgoingMessage {
        let message = OutgoingMessage(owning: try create(subject, payload, inbox))
        for (name, value) in headers {
            try check(natsMsgHeader_Set(message.raw, name, value))
        }
        return message
    }

    private static func create(
        _ subject: String, _ payload: [UInt8], _ inbox: String?
    ) throws(NatsFailure) -> OpaquePointer {
        var message: OpaquePointer?
        guard let count = Int32(exactly: payload.count) else { throw .tooLong }
        let status = payload.withUnsafeBytes { bytes in
            natsMsg_Create(
                &message, subject, inbox, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                count)
        }
        guard status == NATS_OK, let message else { throw .ofThread(status) }
        return message
    }

    deinit { natsMsg_Destroy(raw) }
}

/// Why something failed at the engine.
package enum NatsFailure: Error, Sendable, Equatable {
    /// No server can be reached, or the connection broke; a clause.
    case connection(String)
    /// The server refuses this client.
    case notAllowed(String)
    /// The certificate is not the expected one.
    case untrusted(String)
    /// The server has no TLS, and so is another than the engine's.
    case plain
    /// The server did not answer in time.
    case timeout
    /// Nothing answers: there is no such stream, or it has no leader.
    case noStream
    /// The message is longer than the server takes.
    case tooLong
    /// The stream's own error, with its number.
    case stream(code: Int, String)
    /// The answer has another form than is known.
    case malformed

    /// The failure of the call on this thread that has just returned the status.
    static func ofThread(_ status: natsStatus) -> NatsFailure {
        var known = status
        let detail = nats_GetLastError(&known).map { String(cString: $0) } ?? ""
        return NatsFailure(status, detail)
    }

    init(_ status: natsStatus, _ detail: String) {
        let name = natsStatus_GetText(status).map { String(cString: $0) } ?? "failure"
        // libnats puts its own file and line in front.
        let told = detail.hasPrefix("(") ? detail.split(separator: ": ", maxSplits: 1).last : nil
        let text = told.map(String.init) ?? (detail.isEmpty ? name : detail)
        let lowered = text.lowercased()
        self =
            switch status {
            case NATS_TIMEOUT: .timeout
            case NATS_NO_RESPONDERS: .noStream
            case NATS_MAX_PAYLOAD: .tooLong
            // A server that has no time for the handshake says so in the words of a refusal.
            case _ where lowered.contains("timeout"): .connection(text)
            case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED: .notAllowed(text)
            case NATS_SECURE_CONNECTION_WANTED: .plain
            case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_REQUIRED: .untrusted(text)
            case _ where lowered.contains("authenti") || lowered.contains("authoriz"):
                .notAllowed(text)
            case _ where lowered.contains("certificate"): .untrusted(text)
            default: .connection(text)
            }
    }
}

/// Of a call on this thread that has just returned.
func check(_ status: natsStatus) throws(NatsFailure) {
    guard status == NATS_OK else { throw .ofThread(status) }
}

extension NatsFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .connection(let text): "no connection: \(text)"
        case .notAllowed(let text): "the server refuses: \(text)"
        case .untrusted(let text): "the server's certificate is not trusted: \(text)"
        case .plain: "another NATS server answers, without TLS, such as Debian's own"
        case .timeout: "no answer in time"
        case .noStream: "there is no such stream, or nobody leads it"
        case .tooLong: "it is longer than the server takes"
        case .stream(let code, let text): "the stream refuses (\(code)): \(text)"
        case .malformed: "the server's answer is not understood"
        }
    }
}
