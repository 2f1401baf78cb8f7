// AF_UNIX stream sockets by path: the client's side, what the server shares with it, and which
// processes a client trusts to listen there.

internal import CShims
package import Glibc
package import MAMModel
package import MAMSystem

/// The calls on `AF_UNIX` sockets that server and client need.
package enum UnixSocket {
    /// Connects to the socket at `path`. Also throws `ECONNREFUSED` if the listener was killed but
    /// has not ended yet. `prepare`: sets up the socket before it connects.
    package static func connect(
        to path: String, prepare: (Descriptor) throws(Errno) -> Void = { _ in }
    ) throws(Errno) -> Descriptor {
        let socket = try reach(path, prepare: prepare)
        if let process = process(servingAt: socket), ProcessStatus(of: process)?.isEnding == true {
            throw Errno(rawValue: ECONNREFUSED)
        }
        return socket
    }

    /// The process that listens at `path`, even one that is ending.
    package static func process(listeningAt path: String) -> Int32? {
        (try? reach(path)).flatMap { process(servingAt: $0) }
    }

    /// The process that listens at `path`, 0 if it cannot be seen from here; nil if none does.
    /// Never waits for it.
    package static func listener(at path: String) -> Int32? {
        do throws(Errno) {
            let socket = try reach(path) { socket throws(Errno) in
                _ = try retrying { fcntl(socket.raw, F_SETFL, O_NONBLOCK) }
            }
            return process(servingAt: socket) ?? 0
        } catch {
            // Its queue is full: something listens.
            return error == .wouldBlock ? 0 : nil
        }
    }

    private static func reach(
        _ path: String, prepare: (Descriptor) throws(Errno) -> Void = { _ in }
    ) throws(Errno) -> Descriptor {
        let socket = try makeSocket()
        try prepare(socket)
        try withAddress(of: path) { address, count throws(Errno) in
            _ = try retrying { Glibc.connect(socket.raw, address, count) }
        }
        return socket
    }

    /// Calls that make no progress for this long fail with `EAGAIN`. connect(2) obeys SO_SNDTIMEO.
    package static func setTimeout(
        _ option: Int32, seconds: Int, on socket: Descriptor
    ) throws(Errno) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        _ = try retrying {
            setsockopt(
                socket.raw, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// The process that listens at the other end of a connected socket (`SO_PEERCRED`).
    private static func process(servingAt socket: Descriptor) -> Int32? {
        Listener(at: socket)?.process
    }

    package static func makeSocket() throws(Errno) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        return Descriptor(owning: try retrying { socket(AF_UNIX, type, 0) })
    }

    /// An address holds 107 bytes; a longer path is reached through its directory.
    package static func withAddress(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Errno) -> Void
    ) throws(Errno) {
        guard path.utf8.count >= MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
            return try withShortAddress(of: path, body)
        }
        let place = ByteString(path)
        let directory = try openFile(place.directory.cString, openPathOnly | O_DIRECTORY)
        try withExtendedLifetime(directory) { () throws(Errno) in
            let name = place.lastComponent.shown
            try withShortAddress(of: "/proc/self/fd/\(directory.raw)/\(name)", body)
        }
    }

    private static func withShortAddress(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Errno) -> Void
    ) throws(Errno) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else { throw Errno(rawValue: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        // `withUnsafePointer` rethrows any error; the result carries a typed one across.
        let result: Result<Void, Errno> = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                let count = socklen_t(MemoryLayout<sockaddr_un>.size)
                do throws(Errno) { return .success(try body(generic, count)) } catch {
                    return .failure(error)
                }
            }
        }
        try result.get()
    }
}

/// The process behind a workspace's socket. A client trusts root and its own user. Root also calls
/// the daemon of the user who made the mount in question, but sends it no passphrase: with an
/// inherited XDG_RUNTIME_DIR, root would find a user's socket in place of its own.
package struct Listener: Sendable, Equatable {
    /// The effective user of the listening process (`SO_PEERCRED`).
    package let user: UInt32
    /// 0 if it is in another PID namespace.
    let process: Int32
    private let ownUser: UInt32

    package init(user: UInt32, process: Int32 = 0, askedBy ownUser: UInt32 = geteuid()) {
        self.user = user
        self.process = process
        self.ownUser = ownUser
    }

    /// Nil if the socket is not connected.
    package init?(at socket: Descriptor) {
        var (process, user, group) = (Int32(0), UInt32(0), UInt32(0))
        let status = withExtendedLifetime(socket) {
            mam_peer(socket.raw, &process, &user, &group)
        }
        guard status == 0 else { return nil }
        self.init(user: user, process: process)
    }

    /// Whether it may receive secrets.
    package var isTrusted: Bool { user == 0 || user == ownUser }

    /// Whether to call it about a mount that `owner` made; nil if the call is about no mount.
    package func mayServe(mountOf owner: UInt32?) -> Bool {
        isTrusted || ownUser == 0 && user == owner
    }
}
