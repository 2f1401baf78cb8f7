// The request to be let in, and its answer.

internal import MAMCrypto
internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMNats

/// A client with an invitation, which sends the request and looks for the answer.
struct Asking {
    private let connection: NatsConnection
    private let invitation: Enrolment.Invitation
    private let transport: NKeySeed

    init(
        _ connection: NatsConnection, _ invitation: Enrolment.Invitation, _ transport: NKeySeed
    ) {
        (self.connection, self.invitation, self.transport) = (connection, invitation, transport)
    }

    /// The first request of an invitation stands, and a second one is refused
    /// (``NatsFailure/isUsedAlready``), but for the same one again shortly after.
    func send() throws(NatsFailure) {
        let request = Array(invitation.request.utf8)
        try connection.store(
            Subject.enrolment(invitation.id), request,
            messageID: hexadecimal(SHA256.digest(of: request)))
    }

    /// What the administrator has answered until now.
    enum Answer {
        case none
        case token(String)
        /// It is of no use to this machine, whose key has changed since the request.
        case forAnotherKey
    }

    func answer() throws(NatsFailure) -> Answer {
        let message = try connection.lastMessage(
            of: Subject.invited(invitation.id), in: Stream.invited.rawValue)
        guard let message else { return .none }
        return token(of: message.payload).map { .token($0) } ?? .forAnotherKey
    }

    /// The token, if it is for this machine's key: anybody else's would be of no use.
    func token(of bytes: [UInt8]) -> String? {
        guard bytes.count <= Token.maximumByteCount else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmed
        guard let token = try? Token(parsing: text), token.kind == .user,
            token.subject == transport.key
        else { return nil }
        return text
    }
}

extension NatsFailure {
    /// Whether somebody has sent a request with this invitation: the stream keeps the first.
    var isUsedAlready: Bool {
        if case .stream(code: 10_077, _) = self { return true }
        return false
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
