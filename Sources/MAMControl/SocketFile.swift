// The socket's path, which one process at a time owns.

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
