// A varlink service on an AF_UNIX socket: one thread accepts, one admits users round-robin, one
// serves each connection.

internal import Glibc
internal import MAMModel
package import MAMSystem
internal import MAMWire
internal import Synchronization

/// Serves interfaces at a path until ``stop()``.
///
/// A slow, silent or hostile client costs its own thread and at most one frame of memory, and never
/// delays another user's answer.
package final class VarlinkServer: Sendable {
    /// What clients may cost.
    package struct Limits: Sendable {
        /// Connections at a time; when all are taken, a new one costs the user that has the most
        /// one of its own.
        package var connections = 256
        /// Connections at a time of one user but root. Most daemons have one user.
        package var connectionsPerUser = currentUser == 0 ? 64 : 192
        /// Those of all users but root, who can still ask and lock with the rest.
        package var connectionsOfUsers = 224
        /// A client that takes nothing of a reply for so long is cut off.
        package var sendTimeoutSeconds = 10

        package init() {}
    }

    private let service: VarlinkService
    private let limits: Limits
    private let file: SocketFile
    private let table: ConnectionTable
    private let newcomers = Newcomers()
    private let end: WakeUpDescriptor
    /// When the threads of clients are waited for no longer; nil until ``stop(patience:)``.
    private let lastMoment = Mutex<ContinuousClock.Instant?>(nil)

    /// Listens at `path` with `mode` and starts to serve; at the socket that was `given` instead,
    /// if there is one.
    ///
    /// Missing parent directories are made with `directoryMode`. The socket of a dead daemon is
    /// replaced; `EADDRINUSE` when a live one is there.
    package init(
        at path: String, mode: UInt32 = 0o600, directoryMode: UInt32 = 0o700,
        given listener: Descriptor? = nil, limits: Limits = Limits(), service: VarlinkService
    ) throws(Errno) {
        self.service = service
        self.limits = limits
        end = try WakeUpDescriptor()
        if let listener {
            file = SocketFile(given: listener)
        } else {
            file = try SocketFile(path: path, mode: mode, directoryMode: directoryMode)
        }
        table = ConnectionTable(limits: limits)
        try startThread(named: "control") { [listener = file.listener, end, table, newcomers] in
            Self.acceptAll(from: listener, until: end, table, newcomers)
        }
        try startThread(named: "control-door") { [table, newcomers, service, limits] in
            while let (socket, user) = newcomers.next() {
                Self.admit(socket, of: user, table, service, limits)
            }
        }
    }

    deinit { stop() }

    /// Takes no more clients and ends the ones that are connected; returns when their threads have
    /// left, or `patience` after the first call of this: a call that is being carried out is not
    /// broken off.
    package func stop(patience: Duration = .seconds(5)) {
        table.close()
        newcomers.close()
        end.signal()
        file.close()
        let end = lastMoment.withLock { moment in
            let end = moment ?? ContinuousClock.now + patience
            moment = end
            return end
        }
        while !table.isEmpty, ContinuousClock.now < end { usleep(1000) }
    }

    /// Returns when what every call needs first is free. For who wants to know that nothing is
    /// stuck.
    package func waitUntilFree() { _ = table.isOpen }

    private static func acceptAll(
        from listener: Descriptor, until end: WakeUpDescriptor, _ table: ConnectionTable,
        _ newcomers: Newcomers
    ) {
        while waitForClient(listener, end), table.isOpen {
            do throws(Errno) {
                let socket = try UnixSocket.accept(listener)
                // This thread does nothing else: the last client in the kernel's queue waits until
                // that is empty.
                if let user = try? UnixSocket.user(of: socket) { newcomers.add(socket, of: user) }
            } catch {
                // Out of descriptors or memory: wait for some to be given back rather than spin.
                if table.isOpen { usleep(10_000) }
            }
        }
    }

    /// False when no more are to be taken: those that wait at a given socket are left to the next
    /// daemon.
    private static func waitForClient(_ listener: Descriptor, _ end: WakeUpDescriptor) -> Bool {
        var waiting = [listener, end.descriptor].map {
            pollfd(fd: $0.raw, events: Int16(POLLIN), revents: 0)
        }
        while poll(&waiting, 2, -1) < 0 {}
        return waiting[1].revents == 0
    }

    /// Starts a connection's thread, or closes the socket by letting it go.
    private static func admit(
        _ socket: Descriptor, of user: UInt32, _ table: ConnectionTable,
        _ service: VarlinkService, _ limits: Limits
    ) {
        guard let key = table.add(socket, of: user) else { return }
        do throws(Errno) {
            let peer = try UnixSocket.peer(of: socket)
            try UnixSocket.setTimeout(
                SO_SNDTIMEO, seconds: limits.sendTimeoutSeconds, on: socket)
            try startThread(named: "control-client") {
                serve(socket, peer, service) { table.note(key, isBusy: $0) }
                table.remove(key)
            }
        } catch { table.remove(key) }
    }

    /// Answers one client until it has gone, or says what is no call. `note`: told when a call
    /// begins and ends.
    package static func serve(
        _ socket: Descriptor, _ peer: Peer, _ service: VarlinkService,
        note: (_ isBusy: Bool) -> Void = { _ in }
    ) {
        var frames = FrameSocket(socket, maximumByteCount: FrameReader.requestByteCount)
        let sender = FrameSender(socket)
        let id = ConnectionID()
        defer { service.connectionEnded(id) }
        var isLong = false
        func admitLong() -> Bool {
            isLong = service.shares.admitLongFrame(of: peer.uid)
            return isLong
        }
        func end() {
            if isLong { service.shares.endLongFrame(of: peer.uid) }
            isLong = false
            note(false)
        }
        defer { end() }
        do {
            while let frame = try frames.receive(admittingLong: admitLong) {
                note(true)
                defer { end() }
                func send(_ reply: JSONValue) throws(Errno) {
                    // To send it may take as long as the client likes.
                    let bytes = service.shares.compute(for: peer.uid) { reply.encoded() }
                    try sender.send(encoded: bytes)
                }
                let outcome = try service.answer(frame, from: peer, over: socket, id, send: send)
                switch outcome {
                case .reply(let reply): try send(reply)
                case .silence: break
                case .close(let reply): return try send(reply)
                }
            }
        } catch FrameSocket.Failure.excess {
            // Its end is unknown, so the connection ends; say why to a client that still listens.
            try? sender.send(VarlinkService.refusal)
        } catch {
            // The client has gone, or does not read.
        }
    }
}
