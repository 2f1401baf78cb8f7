// Reads a directory piecewise.

internal import Glibc
package import MAMModel
package import MAMSystem
internal import Synchronization

/// An open directory. Offsets are those of the backing file system, and as stable as it keeps them
/// while entries come and go.
package final class DirectoryStream: Sendable {
    package let inode: Inode
    private let state: Mutex<Stream>
    private let place: ShareSlot?

    private struct Stream: @unchecked Sendable {
        // Accessed only under the mutex.
        package let handle: OpaquePointer
        package var position: Int = 0
        /// Read but not delivered, because it did not fit.
        package var pending: UnsafeMutablePointer<dirent>?
    }

    /// `movesAccessTime`: false for the daemon's own reads, which do not count as accesses.
    package init(
        _ inode: Inode, _ place: ShareSlot? = nil, movesAccessTime: Bool = false
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
        try synchronizeStored(descriptor, dataOnly: dataOnly)
    }

    /// A directory entry; `next` is the offset after it.
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

    /// Calls `body` with entries from `offset` on until it returns false. Each name is valid only
    /// during the call.
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
                // Field by field: an entry ends with its name, and copying a whole `dirent` could
                // read past the stream's buffer.
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

    /// An ``Item`` that owns its name.
    package struct KeptItem {
        package let name: ByteString
        package let number: UInt64
        package let kind: UInt8
        package let next: Int
    }

    /// The entry after `offset`; nil at the end.
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
