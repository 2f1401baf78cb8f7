// What libnats calls back, by number: a call that comes late finds no entry, and nothing happens.

internal import CNats
internal import Glibc
internal import Synchronization

enum NatsHandler: Sendable {
    case messages(@Sendable (NatsMessage) -> Void)
    case end(@Sendable (NatsFailure) -> Void)
    case credentials(NatsCredentials)
}

final class NatsHandlers: Sendable {
    private struct Table {
        var last: UInt = 0
        var all: [UInt: NatsHandler] = [:]
    }

    private let table = Mutex(Table())

    /// The number goes to C in a pointer's place; it is never 0.
    func add(_ handler: NatsHandler) -> UInt {
        table.withLock { table in
            table.last += 1
            table.all[table.last] = handler
            return table.last
        }
    }

    func remove(_ entries: [UInt]) {
        let gone = table.withLock { table in
            entries.compactMap { table.all.removeValue(forKey: $0) }
        }
        // Destroyed without the lock: what a handler holds may remove entries too.
        withExtendedLifetime(gone) {}
    }

    func handler(_ closure: UnsafeMutableRawPointer?) -> NatsHandler? {
        table.withLock { $0.all[UInt(bitPattern: closure)] }
    }
}

let natsHandlers = NatsHandlers()

// Global functions inherit no actor's isolation: libnats calls them on threads of its own.

func receiveMessage(
    _: OpaquePointer?, _: OpaquePointer?, _ message: OpaquePointer?,
    _ closure: UnsafeMutableRawPointer?
) {
    guard let message else { return }
    defer { natsMsg_Destroy(message) }
    guard case .messages(let handler) = natsHandlers.handler(closure) else { return }
    handler(NatsMessage(message))
}

private func reportEnd(_ connection: OpaquePointer?, _ closure: UnsafeMutableRawPointer?) {
    guard case .end(let handler) = natsHandlers.handler(closure) else { return }
    var text: UnsafePointer<CChar>?
    let status = natsConnection_GetLastError(connection, &text)
    handler(NatsFailure(status, text.map { String(cString: $0) } ?? ""))
}

/// Without it libnats prints errors itself. What matters ends the connection, or fails a call.
private func ignoreError(
    _: OpaquePointer?, _: OpaquePointer?, _: natsStatus, _: UnsafeMutableRawPointer?
) {}

private func giveToken(
    _ token: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ closure: UnsafeMutableRawPointer?
) -> natsStatus {
    guard case .credentials(let credentials) = natsHandlers.handler(closure),
        let copy = strdup(credentials.token)
    else { return NATS_ERR }
    token?.pointee = copy
    return NATS_OK
}

/// What a signature gets that begins with a zero byte, as one of 256 does: libnats 3.4 takes it for
/// an empty string, and sends none. The next attempt has another nonce to sign.
let cannotBeSent = NATS_INVALID_ARG

private func signNonce(
    _: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ signature: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
    _ count: UnsafeMutablePointer<Int32>?, _ nonce: UnsafePointer<CChar>?,
    _ closure: UnsafeMutableRawPointer?
) -> natsStatus {
    guard case .credentials(let credentials) = natsHandlers.handler(closure), let nonce,
        let bytes = credentials.sign(
            Array(UnsafeRawBufferPointer(start: nonce, count: strlen(nonce))))
    else { return NATS_ERR }
    guard bytes.first != 0 else { return cannotBeSent }
    guard let copy = malloc(bytes.count) else { return NATS_NO_MEMORY }
    copy.copyMemory(from: bytes, byteCount: bytes.count)
    signature?.pointee = copy.assumingMemoryBound(to: UInt8.self)
    count?.pointee = Int32(bytes.count)
    return NATS_OK
}

/// libnats' options, which a connection copies.
struct PreparedOptions: ~Copyable {
    let raw: OpaquePointer

    private init(owning raw: OpaquePointer) { self.raw = raw }

    static func make(
        _ options: NatsOptions, credentials: UInt, end: UInt
    ) throws(NatsFailure) -> PreparedOptions {
        var made: OpaquePointer?
        let status = natsOptions_Create(&made)
        guard status == NATS_OK, let made else { throw .ofThread(status) }
        let prepared = PreparedOptions(owning: made)
        try prepared.set(options, credentials: credentials, end: end)
        return prepared
    }

    private func set(
        _ options: NatsOptions, credentials: UInt, end: UInt
    ) throws(NatsFailure) {
        try setServers(options)
        let identity = UnsafeMutableRawPointer(bitPattern: credentials)
        try check(
            natsOptions_SetUserCredentialsCallbacks(raw, giveToken, identity, signNonce, identity))
        try check(natsOptions_SetName(raw, options.name))
        try check(natsOptions_SetCustomInboxPrefix(raw, options.inboxPrefix))
        try check(natsOptions_SetTimeout(raw, options.timeoutMilliseconds))
        try check(natsOptions_SetAllowReconnect(raw, false))
        try check(natsOptions_SetPingInterval(raw, 60_000))
        try check(natsOptions_SetSendAsap(raw, true))
        try check(natsOptions_UseGlobalMessageDelivery(raw, true))
        try check(natsOptions_SetErrorHandler(raw, ignoreError, nil))
        try check(
            natsOptions_SetClosedCB(raw, reportEnd, UnsafeMutableRawPointer(bitPattern: end)))
    }

    deinit { natsOptions_Destroy(raw) }

    private func setServers(_ options: NatsOptions) throws(NatsFailure) {
        guard !options.servers.isEmpty else { throw .connection("no server is known") }
        let names = options.servers.map { strdup($0) }
        defer { names.forEach { free($0) } }
        var pointers = names.map { UnsafePointer($0) }
        try check(natsOptions_SetServers(raw, &pointers, Int32(pointers.count)))
        // The other servers that a server names could be anybody's.
        try check(natsOptions_SetIgnoreDiscoveredServers(raw, true))
        try check(natsOptions_SetSecure(raw, true))
        if let authority = options.authority {
            try check(natsOptions_SetCATrustedCertificates(raw, authority))
        } else {
            try check(
                natsOptions_LoadCATrustedCertificates(raw, "/etc/ssl/certs/ca-certificates.crt"))
        }
    }
}
