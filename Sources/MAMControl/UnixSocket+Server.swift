// The server's side: listening, accepting, and the peer's credentials.

internal import CShims
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

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
