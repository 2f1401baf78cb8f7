// Failed syncs of one file, and who has been told of them.

package import MAMSystem
package import Synchronization

/// The syncs of a file that failed, each to be told once to every handle: what errseq_t is to
/// Linux.
///
/// All handles of a file share one descriptor, and the kernel tells a failed write-back once to
/// each of these: whoever syncs first, be it a lock, would take the error away from the programs
/// whose content it was.
struct SyncFailures {
    private(set) var count: UInt64 = 0
    private(set) var last: Errno?
    /// Some handle has been told of the last one.
    var isTold = true

    mutating func note(_ error: Errno) {
        count += 1
        last = error
        isTold = false
    }
}

extension SealedContent {
    /// A sync that is part of a change. Its failure is also told to every handle of the file.
    func synchronize() throws(Errno) {
        do throws(Errno) { try MAMSystem.synchronize(descriptor.raw, dataOnly: true) } catch {
            syncFailure = error
            throw error
        }
    }
}

extension StoredFile {
    /// Takes note of a failed sync that was part of a change. The caller holds the lock alone.
    func noteSyncFailure() {
        guard case .sealed(let sealed) = content, let failure = sealed.syncFailure else { return }
        sealed.syncFailure = nil
        syncFailures.withLock { $0.note(failure) }
    }

    /// Makes what was written durable, also in a copy that is being made: it may be the file by the
    /// time that this returns. And if it has become the file just now, its name. A failure is also
    /// told to every handle of the file.
    package func synchronize(dataOnly: Bool) throws(Errno) {
        // Held, for another one may take its place meanwhile.
        let (descriptor, following) = lock.shared { (descriptorUnlocked, self.following) }
        try withExtendedLifetime(descriptor) { () throws(Errno) in
            do throws(Errno) {
                try MAMSystem.synchronize(descriptor.raw, dataOnly: dataOnly)
                try following?.copy.synchronize(dataOnly: dataOnly)
                try copying.synchronizePlace()
            } catch {
                syncFailures.withLock { $0.note(error) }
                throw error
            }
        }
    }

    /// Where a new handle begins. Like a new description of Linux's it hears of a failure that
    /// nobody has heard of.
    package var syncMark: UInt64 {
        syncFailures.withLock { $0.isTold ? $0.count : $0.count - 1 }
    }

    /// The last failed sync if the handle with this mark has not been told of it; it has then.
    package func takeSyncFailure(since mark: borrowing Atomic<UInt64>) -> Errno? {
        syncFailures.withLock { failures in
            let count = failures.count
            guard mark.exchange(count, ordering: .relaxed) != count else { return nil }
            failures.isTold = true
            return failures.last
        }
    }

    /// A failed sync that no handle has been told of.
    package var untoldSyncFailure: Errno? {
        syncFailures.withLock { $0.isTold ? nil : $0.last }
    }
}
