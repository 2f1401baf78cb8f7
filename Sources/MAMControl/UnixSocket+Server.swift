// Listening, and what only the server asks of a connection.

internal import CShims
internal import Glibc
internal import MAMSystem
internal import MAMWire

extension UnixSocket {
    /// Connections that wait to be accepted. A later client waits until one of them is, and not
    /// behind the thousands that another user has made and left.
    static let backlog: Int32 = 256

    /// Listens at `path`, where nothing may be; the socket file has `mode` from its first moment.
    static func listen(at path: String, mode: mode_t) throws(Errno) -> Descriptor {
        let socket = try makeSocket()
        // The mode before bind(2) is what bind creates the file with, less the umask.
        _ = try retrying { fchmod(socket.raw, mode) }
        try withAddress(of: path) { address, count throws(Errno) in
            _ = try retrying { bind(socket.raw, address, count) }
        }
        _ = try retrying { chmod(path, mode) }
        _ = try retrying { Glibc.listen(socket.raw, backlog) }
        return socket
    }

    /// Waits for a client, whose socket no hook or probe inherits.
    static func accept(_ listener: Descriptor) throws(Errno) -> Descriptor {
        Descriptor(owning: try retrying { mam_accept(listener.raw) })
    }

    /// Ends both directions: reads and writes on any thread return at once.
    static func shutDown(_ socket: Descriptor) { shutdown(socket.raw, Int32(SHUT_RDWR)) }

    /// Whose process connected.
    static func user(of socket: Descriptor) throws(Errno) -> UInt32 {
        var (pid, uid, gid) = (Int32(0), UInt32(0), UInt32(0))
        _ = try retrying { mam_peer(socket.raw, &pid, &uid, &gid) }
        return uid
    }

    /// Who connected.
    static func peer(of socket: Descriptor) throws(Errno) -> Peer {
        var (pid, uid, gid) = (Int32(0), UInt32(0), UInt32(0))
        _ = try retrying { mam_peer(socket.raw, &pid, &uid, &gid) }
        do throws(Errno) {
            let process = ProcessHandle(
                owning: Descriptor(owning: try retrying { mam_peer_process(socket.raw) }))
            return Peer(pid: pid, uid: uid, gid: gid, process: process)
        } catch {
            // Where the kernel has none, the id has to do; where it has, the process has ended.
            return error.rawValue == ENOPROTOOPT
                ? Peer(pid: pid, uid: uid, gid: gid) : Peer(gone: pid, uid: uid, gid: gid)
        }
    }
}
