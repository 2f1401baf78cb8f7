// Taking the content of another file over while this one is in use.

package import MAMFormat
internal import MAMSystem
internal import Synchronization

extension StoredFile {
    /// The plain bytes that may have changed since this was last asked, for a copy that is made meanwhile; nil for none.
    package func takeChanges() -> Range<Int64>? {
        lock.exclusive {
            changes.withLock { changes in
                defer { changes = nil }
                return changes
            }
        }
    }

    /// For ``takeChanges()`` to tell of once more.
    package func putBack(_ range: Range<Int64>) {
        lock.exclusive { noteChange(from: range.lowerBound, count: range.count) }
    }

    /// From now on this is the other file, which its caller does not use any more.
    ///
    /// `complete` brings the other one up to date and puts it in place. It is given what changed since ``takeChanges()``, and how
    /// to read, and what the header says; nobody else reads or writes meanwhile. When it throws all stays as it is.
    package func takeOver<Failure: Error>(
        _ other: StoredFile,
        _ complete: (
            _ changes: Range<Int64>?, _ header: FileHeader?,
            _ read: (UnsafeMutableRawBufferPointer, Int64) throws(StoreError) -> Int
        ) throws(Failure) -> Void
    ) throws(Failure) {
        try lock.exclusive { () throws(Failure) in
            try complete(changes.withLock { $0 }, headerUnlocked) {
                out, offset throws(StoreError) in
                switch content {
                case .plain(let plain): try plain.read(into: out, at: offset)
                case .sealed(let sealed): try sealed.read(into: out, at: offset)
                }
            }
            changes.withLock { $0 = nil }
            content = other.lock.shared { other.content }
            refreshSize()
        }
    }
}
