// A socket's place in the file system: taken by one process at a time, and given back.

internal import Glibc
internal import MAMSystem
internal import MAMWire
internal import Synchronization

/// A listening socket with its file, which goes when this does, unless it was given to us.
final class SocketFile: Sendable {
    let listener: Descriptor
    /// Nil if somebody else listens too, and keeps the file.
    private let ownPath: String?
    /// Held for as long as we listen. A second daemon asks for the lock, not for an answer: no race
    /// between "is it dead?" and "replace it", and a daemon that hangs still counts as alive.
    private let lock: Descriptor?
    private let isClosed = Atomic(false)

    /// Takes a socket that listens already.
    init(given listener: Descriptor) {
        self.listener = listener
        // Its creator may have set a longer backlog.
        listen(listener.raw, UnixSocket.backlog)
        (ownPath, lock) = (nil, nil)
    }

    /// Makes parent directories as needed. A dead daemon's socket is replaced; with a live one at
    /// `path`, or anything there that is no socket, this throws `EADDRINUSE`.
    init(path: String, mode: mode_t, directoryMode: mode_t) throws(Errno) {
        if let slash = path.lastIndex(of: "/") {
            try makeDirectories(String(path[..<slash]), mode: directoryMode)
        }
        lock = try Self.takeLock(path + ".lock")
        try Self.removeStale(path)
        ownPath = path
        listener = try UnixSocket.listen(at: path, mode: mode)
    }

    /// Takes the name away, and gives the place to the next daemon: once, for then it may be that
    /// one's. Not left to the end of the process, which a client's thread can put off (see mamd,
    /// LeftBehind). Clients of a given socket wait for the next who takes it.
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
        // A live socket without our lock belongs to something else, or someone removed the lock
        // file.
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
