// Reading a directory in pieces.

internal import Glibc
internal import MAMSystem
internal import Synchronization

/// An open directory. Positions are those of the backing file system, so they stay valid while entries come
/// and go, as far as it keeps that promise.
final class DirectoryStream: Sendable {
    let inode: Inode
    private let state: Mutex<Stream>

    private struct Stream: @unchecked Sendable {
        // Used under the mutex alone.
        let handle: OpaquePointer
        var position: Int = 0
        /// Read from the stream and not yet given out: it did not fit.
        var pending: UnsafeMutablePointer<dirent>?
    }

    init(_ inode: Inode) throws(Errno) {
        let handle = try openDirectoryStream(inode.handle.raw)
        self.inode = inode
        state = Mutex(Stream(handle: handle))
    }

    deinit { _ = state.withLock { closedir($0.handle) } }

    func synchronize(dataOnly: Bool) throws(Errno) {
        let descriptor = state.withLock { dirfd($0.handle) }
        try MAMSystem.synchronize(descriptor, dataOnly: dataOnly)
    }

    /// Gives entries from `offset` on, each with the position after it, until `body` returns false.
    func read(
        from offset: Int, _ body: (_ name: Name, _ entry: dirent, _ next: Int) -> Bool
    ) throws(Errno) {
        let failure: Errno? = state.withLock { stream in
            if offset != stream.position {
                seekdir(stream.handle, offset)
                stream.pending = nil
                stream.position = offset
            }
            while true {
                if stream.pending == nil {
                    errno = 0
                    stream.pending = readdir(stream.handle)
                }
                guard let entry = stream.pending else {
                    return errno == 0 ? nil : Errno.current
                }
                let next = Int(entry.pointee.d_off)
                let offered = withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) {
                        body($0, entry.pointee, next)
                    }
                }
                guard offered else { return nil }
                stream.pending = nil
                stream.position = next
            }
        }
        if let failure { throw failure }
    }
}
