// AF_UNIX stream sockets by path: listening and connecting.

internal import CShims
internal import Glibc
package import MAMSystem

/// The calls on `AF_UNIX` sockets that server and client need.
package enum UnixSocket {
    /// Connections that wait to be accepted.
    private static let backlog: Int32 = 4096

    /// Connects to the socket at `path`.
    package static func connect(to path: String) throws(Errno) -> Descriptor {
        let socket = try makeSocket()
        try withAddress(of: path) { address, count throws(Errno) in
            _ = try retrying { Glibc.connect(socket.raw, address, count) }
        }
        return socket
    }

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

    /// A send that makes no progress for so long fails with `EAGAIN`.
    static func setSendTimeout(_ seconds: Int, on socket: Descriptor) throws(Errno) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        _ = try retrying {
            setsockopt(
                socket.raw, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Who connected.
    static func peer(of socket: Descriptor) throws(Errno) -> Peer {
        var (pid, uid, gid) = (Int32(0), UInt32(0), UInt32(0))
        _ = try retrying { mam_peer(socket.raw, &pid, &uid, &gid) }
        return Peer(pid: pid, uid: uid, gid: gid)
    }

    private static func makeSocket() throws(Errno) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        return Descriptor(owning: try retrying { socket(AF_UNIX, type, 0) })
    }

    /// `ENAMETOOLONG` when the path does not fit into an address: 107 bytes.
    private static func withAddress(
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
