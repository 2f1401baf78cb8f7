// One connection to a NATS server, over TLS.

internal import CNats
internal import Glibc
internal import Synchronization

/// What a client proves itself with: a token that its account has signed, and signatures of the key
/// that the token names.
package struct NatsCredentials: Sendable {
    package let token: String
    /// Nil if the key is gone.
    package let sign: @Sendable ([UInt8]) -> [UInt8]?

    package init(token: String, sign: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
        (self.token, self.sign) = (token, sign)
    }
}

/// The servers to connect to, and what the client is known by there.
package struct NatsOptions: Sendable {
    package var servers: [String]
    /// Certificates in PEM; nil for the system's.
    package var authority: String?
    package var credentials: NatsCredentials
    /// The subject below which replies come, where nobody else may read.
    package var inboxPrefix: String
    package var name: String
    package var timeoutMilliseconds: Int64 = 5000

    package init(
        servers: [String], authority: String?, credentials: NatsCredentials, inboxPrefix: String,
        name: String
    ) {
        (self.servers, self.authority, self.credentials) = (servers, authority, credentials)
        (self.inboxPrefix, self.name) = (inboxPrefix, name)
    }
}

/// libnats adds the authorities that OpenSSL takes by default to those of a connection, and cannot
/// be told not to: without this a certificate of any of them would do where one is pinned. It holds
/// for the whole process; call it before there are threads.
package func forgetDefaultAuthorities() {
    for name in ["SSL_CERT_FILE", "SSL_CERT_DIR"] { setenv(name, "/dev/null", 1) }
}

/// Connected from the start, until it ends: it does not reconnect by itself, so that there is one
/// place that waits, with jitter, however a connection was lost.
///
/// Any thread may call it. Handlers run on threads of libnats, and must not block.
// @unchecked: libnats guards what the pointer points to.
package final class NatsConnection: @unchecked Sendable {
    private let raw: OpaquePointer
    /// What to remove from the table of handlers when this goes.
    private let entries: [UInt]
    private let inboxPrefix: String
    /// What to destroy when this goes: pointers, each with its entry if it has a handler.
    private let subscriptions = Mutex<[(entry: UInt?, raw: UInt)]>([])

    /// Blocks until it is connected. `ended`: is called once when the connection is lost, with the
    /// reason.
    package init(
        _ options: NatsOptions, ended: @escaping @Sendable (NatsFailure) -> Void
    ) throws(NatsFailure) {
        let credentials = natsHandlers.add(.credentials(options.credentials))
        let end = natsHandlers.add(.end(ended))
        do throws(NatsFailure) {
            let prepared = try PreparedOptions.make(options, credentials: credentials, end: end)
            raw = try Self.connect(prepared)
        } catch {
            natsHandlers.remove([credentials, end])
            throw error
        }
        entries = [credentials, end]
        inboxPrefix = options.inboxPrefix
    }

    private static func connect(_ prepared: borrowing PreparedOptions) throws(NatsFailure)
        -> OpaquePointer
    {
        var connection: OpaquePointer?
        var status = NATS_OK
        for _ in 0..<4 {
            status = natsConnection_Connect(&connection, prepared.raw)
            if status != cannotBeSent { break }
        }
        guard status == NATS_OK, let connection else { throw .ofThread(status) }
        return connection
    }

    deinit {
        // `ended` is not called any more.
        let all = subscriptions.withLock { $0 }
        natsHandlers.remove(entries + all.compactMap(\.entry))
        natsConnection_Destroy(raw)
        // Not before: see `end`. The thread that reads has ended now.
        for subscription in all {
            natsSubscription_Destroy(OpaquePointer(bitPattern: subscription.raw))
        }
    }

    /// The longest message that the server takes.
    package var maximumPayload: Int { Int(natsConnection_GetMaxPayload(raw)) }

    /// Calls `handler` with each message of a subject until the connection ends.
    package func subscribe(
        _ subject: String, _ handler: @escaping @Sendable (NatsMessage) -> Void
    ) throws(NatsFailure) {
        let entry = natsHandlers.add(.messages(handler))
        var subscription: OpaquePointer?
        let status = natsConnection_Subscribe(
            &subscription, raw, subject, receiveMessage, UnsafeMutableRawPointer(bitPattern: entry))
        guard status == NATS_OK, let subscription else {
            natsHandlers.remove([entry])
            throw .ofThread(status)
        }
        // The handler is quick: more than that waits only if somebody floods.
        natsSubscription_SetPendingLimits(subscription, 64, 8 << 20)
        keep(subscription, entry)
    }

    private func keep(_ subscription: OpaquePointer, _ entry: UInt?) {
        let number = UInt(bitPattern: subscription)
        subscriptions.withLock { $0.append((entry, number)) }
    }

    /// A subscription in which messages wait until they are taken. ``end(_:)`` must be called.
    func subscribe(_ subject: String) throws(NatsFailure) -> OpaquePointer {
        var subscription: OpaquePointer?
        let status = natsConnection_SubscribeSync(&subscription, raw, subject)
        guard status == NATS_OK, let subscription else { throw .ofThread(status) }
        return subscription
    }

    /// Ends a subscription. libnats 3.4 crashes when one is destroyed while a message for it
    /// arrives: the thread that reads looks it up, and locks it only later (its issue 637). The
    /// answer to a ping goes through that thread too, after which it has let go of what was ended
    /// before.
    func end(_ subscription: OpaquePointer) {
        natsSubscription_Unsubscribe(subscription)
        if natsConnection_FlushTimeout(raw, 1000) == NATS_OK {
            natsSubscription_Destroy(subscription)
        } else {
            keep(subscription, nil)
        }
    }

    /// Publishes without an answer.
    func publish(
        _ subject: String, _ payload: [UInt8], replyTo inbox: String? = nil
    ) throws(NatsFailure) {
        let message = try OutgoingMessage.make(subject, payload, replyTo: inbox)
        try check(natsConnection_PublishMsg(raw, message.raw))
    }

    /// Publishes, and waits for the answer.
    package func request(
        _ subject: String, _ payload: [UInt8] = [], headers: [String: String] = [:],
        timeoutMilliseconds: Int64 = 10_000
    ) throws(NatsFailure) -> NatsMessage {
        let message = try OutgoingMessage.make(subject, payload, headers: headers)
        var answer: OpaquePointer?
        let status = natsConnection_RequestMsg(&answer, raw, message.raw, timeoutMilliseconds)
        guard status == NATS_OK, let answer else { throw .ofThread(status) }
        defer { natsMsg_Destroy(answer) }
        return NatsMessage(answer)
    }

    /// A new subject for answers.
    func makeInbox() -> String {
        let number = UInt64.random(in: .min ... .max)
        return "\(inboxPrefix).\(String(number, radix: 36))"
    }
}
