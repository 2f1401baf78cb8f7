// Reading a directory in pieces.

internal import Glibc
package import MAMSystem
internal import Synchronization

/// An open directory. Positions are those of the backing file system, so they stay valid while
/// entries come and go, as far as it keeps that promise.
package final class DirectoryStream: Sendable {
    package let inode: Inode
    private let state: Mutex<Stream>
    private let place: SharePlace?

    private struct Stream: @unchecked Sendable {
        // Used under the mutex alone.
        package let handle: OpaquePointer
        package var position: Int = 0
        /// Read from the stream and not yet given out: it did not fit.
        package var pending: UnsafeMutablePointer<dirent>?
    }

    /// `movesAccessTime`: false for the daemon's own reading, which is no access of anybody's.
    package init(
        _ inode: Inode, _ place: SharePlace? = nil, movesAccessTime: Bool = false
    ) throws(Errno) {
        let handle = try openDirectoryStream(
            inode.handle.raw, movesAccessTime: movesAccessTime)
        self.inode = inode
        self.place = place
        state = Mutex(Stream(handle: handle))
    }

    deinit { _ = state.withLock { closedir($0.handle) } }

    package func synchronize(dataOnly: Bool) throws(Errno) {
        let descriptor = state.withLock { dirfd($0.handle) }
        try MAMSystem.synchronize(descriptor, dataOnly: dataOnly)
    }

    /// What a directory itself tells of an entry; `next` is the position after it.
    package struct Item {
        package let name: Name
        package let number: UInt64
        package let kind: UInt8
        package let next: Int

        package init(name: Name, number: UInt64, kind: UInt8, next: Int) {
            self.name = name
            self.number = number
            self.kind = kind
            self.next = next
        }
    }

    /// Gives entries from `offset` on until `body` returns false. A name is lent until then.
    package func read(from offset: Int, _ body: (Item) -> Bool) throws(Errno) {
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
                // Field by field: an entry ends with its name, and a whole `dirent` may reach
                // beyond the stream's memory.
                let next = Int(entry.pointee.d_off)
                let (number, kind) = (UInt64(entry.pointee.d_ino), entry.pointee.d_type)
                let offered = withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) {
                        body(Item(name: $0, number: number, kind: kind, next: next))
                    }
                }
                guard offered else { return nil }
                stream.pending = nil
                stream.position = next
            }
        }
        if let failure { throw failure }
    }

    /// As ``Item``, to keep.
    package struct KeptItem {
        package let name: ByteString
        package let number: UInt64
        package let kind: UInt8
        package let next: Int
    }

    /// The entry behind `offset`; nil at the end.
    package func item(after offset: Int) throws(Errno) -> KeptItem? {
        var found: KeptItem?
        try read(from: offset) { item in
            guard found == nil else { return false }
            if strcmp(item.name, ".") != 0, strcmp(item.name, "..") != 0 {
                found = KeptItem(
                    name: ByteString(cString: item.name), number: item.number, kind: item.kind,
                    next: item.next)
            }
            return true
        }
        return found
    }
}
