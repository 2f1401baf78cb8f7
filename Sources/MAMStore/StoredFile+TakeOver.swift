// Taking the content of another file over while this one is in use.

package import MAMFormat
internal import MAMSystem
internal import Synchronization

extension StoredFile {
    /// The plain bytes that may have changed since this was last asked, for a copy that is made meanwhile. The first time none:
    /// from then on changes are noted.
    package func takeChanges() -> ChangedRanges {
        lock.exclusive {
            changes.withLock { changes in
                defer { changes = ChangedRanges() }
                return changes ?? ChangedRanges()
            }
        }
    }

    /// For ``takeChanges()`` to tell of once more.
    package func putBack(_ ranges: ChangedRanges) {
        changes.withLock { changes in
            for range in ranges.all { changes?.add(range) }
        }
    }

    /// The copy is done, or given up.
    package func stopNotingChanges() { changes.withLock { $0 = nil } }

    /// From now on this is the other file, which its caller does not use any more.
    ///
    /// `complete` brings the other one up to date and puts it in place. It is given what changed since ``takeChanges()``, and how
    /// to read, and what the header says; nobody else reads or writes meanwhile. When it throws all stays as it is.
    package func takeOver<Failure: Error>(
        _ other: StoredFile,
        _ complete: (
            _ changes: ChangedRanges, _ header: FileHeader?,
            _ read: (UnsafeMutableRawBufferPointer, Int64) throws(StoreError) -> Int
        ) throws(Failure) -> Void
    ) throws(Failure) {
        try lock.exclusive { () throws(Failure) in
            try complete(changes.withLock { $0 ?? ChangedRanges() }, headerUnlocked) {
                out, offset throws(StoreError) in
                switch content {
                case .plain(let plain): try plain.read(into: out, at: offset)
                case .sealed(let sealed): try sealed.read(into: out, at: offset)
                }
            }
            content = other.lock.shared { other.content }
            refreshSize()
        }
    }
}
