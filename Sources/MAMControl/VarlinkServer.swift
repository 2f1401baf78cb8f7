// A varlink service on an AF_UNIX socket: one thread accepts, one admits users round-robin, one
// serves each connection.

internal import Glibc
package import MAMModel
package import MAMSystem
internal import MAMWire
internal import Synchronization

/// Serves interfaces at a path until ``stop()``.
///
/// A slow, silent or hostile client costs its own thread and at most one frame of memory, and never
/// delays another user's answer.
package final class VarlinkServer: Sendable {
    /// Limits on clients.
    package struct Limits: Sendable {
        /// Open connections. When all are taken, a new one evicts one of the user with the most.
        package var connections = 256
        /// Open connections per user other than root. A user's own daemon usually has one user.
        package var connectionsPerUser = currentUser == 0 ? 64 : 192
        /// Open connections of all users other than root, for which the rest is reserved.
        package var connectionsOfUsers = 224
        /// A client that reads none of a reply for this long is disconnected.
        package var sendTimeoutSeconds = 10

        package init() {}
    }

    private let service: VarlinkService
    private let limits: Limits
    private let files: [SocketFile]
    private let table: ConnectionTable
    private let queue = AcceptQueue()
    private let end: WakeUpDescriptor
    /// When to stop waiting for clients' threads; nil until ``stop(patience:)``.
    private let lastMoment = Mutex<ContinuousClock.Instant?>(nil)

    /// Listens at `path` with `mode`, or on the socket `given`, and starts to serve.
    ///
    /// Creates missing parent directories with `directoryMode` and replaces a dead daemon's socket.
    /// Throws `EADDRINUSE` if a live daemon listens. `lasting`: a second place, for which the
    /// caller holds a lock. One of the two is enough; `report` is told about the other.
    package init(
        at path: String, lasting: String? = nil, mode: UInt32 = 0o600,
        directoryMode: UInt32 = 0o700, given listener: Descriptor? = nil,
        limits: Limits = Limits(), service: VarlinkService,
        report: (_ path: String, Errno) -> Void = { _, _ in }
    ) throws(Errno) {
        self.service = service
        self.limits = limits
        end = try WakeUpDescriptor()
        var files: [SocketFile] = []
        if let lasting {
            do throws(Errno) {
                files.append(try SocketFile(lockedElsewhere: lasting, mode: mode))
            } catch { report(lasting, error) }
        }
        do throws(Errno) {
            let file =
                if let listener { SocketFile(given: listener) } else {
                    try SocketFile(path: path, mode: mode, directoryMode: directoryMode)
                }
            files.append(file)
        } catch {
            guard !files.isEmpty, error.rawValue != EADDRINUSE else { throw error }
            report(path, error)
        }
        self.files = files
        table = ConnectionTable(limits: limits)
        let listeners = files.map(\.listener)
        try startThread(named: "control") { [end, table, queue] in
            Self.acceptAll(from: listeners, until: end, table, queue)
        }
        try startThread(named: "control-door") { [table, queue, service, limits] in
            while let (socket, user) = queue.next() {
                Self.admit(socket, of: user, table, service, limits)
            }
        }
    }

    deinit { stop() }

    /// Accepts no more clients and disconnects the others. Returns when their threads have ended,
    /// at the latest `patience` after the first call of this function: running calls are not
    /// interrupted.
    package func stop(patience: Duration = .seconds(5)) {
        table.close()
        queue.close()
        end.signal()
        for file in files { file.close() }
        let end = lastMoment.withLock { moment in
            let end = moment ?? ContinuousClock.now + patience
            moment = end
            return end
        }
        while !table.isEmpty, ContinuousClock.now < end { usleep(1000) }
    }

    /// Takes and releases the lock that every call needs first. For the watchdog: it hangs if the
    /// server does.
    package func waitUntilFree() { _ = table.isOpen }

    private static func acceptAll(
        from listeners: [Descriptor], until end: WakeUpDescriptor, _ table: ConnectionTable,
        _ queue: AcceptQueue
    ) {
        while let listener = waitForClient(listeners, end), table.isOpen {
            do throws(Errno) {
                let socket = try UnixSocket.accept(listener)
                // Nothing else runs on this thread: clients wait in the kernel's queue meanwhile.
                if let user = try? UnixSocket.user(of: socket) { queue.add(socket, of: user) }
            } catch {
                // Out of descriptors or memory: wait for some to be released rather than spin.
                if table.isOpen { usleep(10_000) }
            }
        }
    }

    /// Where a client waits. Nil once the server stops: clients that wait at a socket passed to us
    /// are the next daemon's.
    private static func waitForClient(
        _ listeners: [Descriptor], _ end: WakeUpDescriptor
    ) -> Descriptor? {
        var waiting = (listeners + [end.descriptor]).map {
            pollfd(fd: $0.raw, events: Int16(POLLIN), revents: 0)
        }
        while poll(&waiting, nfds_t(waiting.count), -1) < 0 {}
        guard waiting[listeners.count].revents == 0 else { return nil }
        return zip(listeners, waiting).first { $1.revents != 0 }?.0
    }

    /// Starts a connection's thread, or drops the socket, which closes it.
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

    /// Answers one client until it hangs up or sends something other than a call. `note`: called
    /// when a call begins and ends.
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
                    // Send without holding a slot: the client may read as slowly as it likes.
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
            // The frame's end is unknown, so close the connection. Tell a client that still reads
            // why.
            try? sender.send(VarlinkService.refusal)
        } catch {
            // The client has hung up or does not read.
        }
    }
}
