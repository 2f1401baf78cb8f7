// The socket's path, which one process at a time owns.

internal import CShims
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import Synchronization

/// A listening socket and its file. Deinit removes the file, unless the socket was passed to us.
final class SocketFile: Sendable {
    let listener: Descriptor
    /// Nil if another process (systemd) owns the socket file.
    private let ownPath: String?
    /// Held while we listen. A second daemon tries the lock rather than a connection: that leaves
    /// no race between "is it dead?" and "replace it", and a daemon that hangs still counts as
    /// alive.
    private let lock: Descriptor?
    private let isClosed = Atomic(false)

    /// Uses a socket that already listens.
    init(given listener: Descriptor) {
        self.listener = listener
        // Its creator may have set another backlog.
        listen(listener.raw, UnixSocket.backlog)
        (ownPath, lock) = (nil, nil)
    }

    /// Listens in a directory that exists, at a path that nobody else uses while another lock is
    /// held. Replaces a dead daemon's socket.
    init(lockedElsewhere path: String, mode: mode_t) throws(Errno) {
        lock = nil
        try Self.removeStale(path)
        ownPath = path
        listener = try UnixSocket.listen(at: path, mode: mode)
    }

    /// Creates parent directories as needed and replaces a dead daemon's socket. Throws
    /// `EADDRINUSE` if a live one, or anything but a socket, is at `path`.
    init(path: String, mode: mode_t, directoryMode: mode_t) throws(Errno) {
        if let slash = path.lastIndex(of: "/") {
            try makeDirectories(String(path[..<slash]), mode: directoryMode)
        }
        lock = try Self.takeLock(path + ".lock")
        try Self.removeStale(path)
        ownPath = path
        listener = try UnixSocket.listen(at: path, mode: mode)
    }

    /// Removes the socket file and releases the lock, once: afterwards the path may be the next
    /// daemon's. This does not wait for the process to end, which a client's thread can delay (see
    /// mamd, LeftBehind). A socket that was passed to us stays open for the next daemon.
    func close() {
        let wasClosed = isClosed.exchange(true, ordering: .sequentiallyConsistent)
        guard !wasClosed, let ownPath else { return }
        UnixSocket.shutDown(listener)
        unlink(ownPath)
        if let lock { flock(lock.raw, LOCK_UN) }
    }

    deinit { close() }

    private static func takeLock(_ path: String) throws(Errno) -> Descriptor {
        let lock = try openFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        do throws(Errno) {
            _ = try retrying { flock(lock.raw, LOCK_EX | LOCK_NB) }
        } catch {
            throw error == .wouldBlock ? Errno(rawValue: EADDRINUSE) : error
        }
        return lock
    }

    private static func removeStale(_ path: String) throws(Errno) {
        var found = stat()
        guard lstat(path, &found) == 0 else { return }
        // A live socket without our lock belongs to another program, or the lock file was removed.
        guard found.st_mode & S_IFMT == S_IFSOCK, !isAnswered(path) else {
            throw Errno(rawValue: EADDRINUSE)
        }
        _ = try retrying { unlink(path) }
    }

    private static func isAnswered(_ path: String) -> Bool {
        do throws(Errno) {
            _ = try UnixSocket.connect(to: path)
            return true
        } catch {
            return error != .connectionRefused
        }
    }
}

// The server's side: listening, accepting, and the peer's credentials.
extension UnixSocket {
    /// The queue of connections that wait for accept(2). Short, so that a client does not wait
    /// behind thousands that another user opened and abandoned.
    static let backlog: Int32 = 256

    /// Listens at `path`, where nothing may exist; the socket file is never more accessible than
    /// `mode`.
    static func listen(at path: String, mode: mode_t) throws(Errno) -> Descriptor {
        let socket = try makeSocket()
        // bind(2) creates the file with the socket's mode, less the umask.
        _ = try retrying { fchmod(socket.raw, mode) }
        try withAddress(of: path) { address, count throws(Errno) in
            _ = try retrying { bind(socket.raw, address, count) }
        }
        _ = try retrying { chmod(path, mode) }
        _ = try retrying { Glibc.listen(socket.raw, backlog) }
        return socket
    }

    /// Waits for a client. Its socket is close-on-exec, so that no hook or probe inherits it.
    static func accept(_ listener: Descriptor) throws(Errno) -> Descriptor {
        Descriptor(owning: try retrying { mam_accept(listener.raw) })
    }

    /// Shuts down both directions: reads and writes on any thread return at once.
    static func shutDown(_ socket: Descriptor) { shutdown(socket.raw, Int32(SHUT_RDWR)) }

    /// The user of the process that connected.
    static func user(of socket: Descriptor) throws(Errno) -> UInt32 {
        var (pid, uid, gid) = (Int32(0), UInt32(0), UInt32(0))
        _ = try retrying { mam_peer(socket.raw, &pid, &uid, &gid) }
        return uid
    }

    /// The process that connected.
    static func peer(of socket: Descriptor) throws(Errno) -> Peer {
        var (pid, uid, gid) = (Int32(0), UInt32(0), UInt32(0))
        _ = try retrying { mam_peer(socket.raw, &pid, &uid, &gid) }
        let isContained = mam_is_contained(socket.raw) != 0
        do throws(Errno) {
            let process = ProcessHandle(
                owning: Descriptor(owning: try retrying { mam_peer_process(socket.raw) }))
            return Peer(
                pid: pid, uid: uid, gid: gid, process: process, isContained: isContained)
        } catch {
            // ENOPROTOOPT: the kernel lacks SO_PEERPIDFD, so use the id. Else the process has
            // ended.
            return error.rawValue == ENOPROTOOPT
                ? Peer(pid: pid, uid: uid, gid: gid, isContained: isContained)
                : Peer(gone: pid, uid: uid, gid: gid)
        }
    }
}
