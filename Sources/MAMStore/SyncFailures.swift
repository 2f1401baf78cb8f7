// Failed syncs of one file, and which handles have seen them.

package import MAMModel
internal import MAMSystem
package import Synchronization

/// The failed syncs of a file, each reported once per handle, like errseq_t in Linux.
///
/// All handles of a file share one descriptor, and the kernel reports a failed write-back once per
/// descriptor: the first sync, for example one made by a lock, would otherwise take the error away
/// from the programs that wrote the data.
struct SyncFailures {
    private(set) var count: UInt64 = 0
    private(set) var last: Errno?
    /// At least one handle has reported the last failure.
    var isTold = true

    mutating func note(_ error: Errno) {
        count += 1
        last = error
        isTold = false
    }
}

extension SealedContent {
    /// A sync that is part of a change. Every handle reports its failure too.
    func synchronize() throws(Errno) {
        do throws(Errno) { try synchronizeStored(descriptor.raw, dataOnly: true) } catch {
            syncFailure = error
            throw error
        }
    }
}

extension StoredFile {
    /// Records a failed sync that was part of a change. The caller holds the lock exclusively.
    func noteSyncFailure() {
        guard case .sealed(let sealed) = content, let failure = sealed.syncFailure else { return }
        sealed.syncFailure = nil
        syncFailures.withLock { $0.note(failure) }
    }

    /// Makes everything written durable, also in a copy in progress, which may be the file by the
    /// time this returns; and if the copy has just replaced the file, its name. Every handle
    /// reports a failure.
    package func synchronize(dataOnly: Bool) throws(Errno) {
        // Retained, because another descriptor may replace it meanwhile.
        let (descriptor, following) = lock.shared { (descriptorUnlocked, self.following) }
        try withExtendedLifetime(descriptor) { () throws(Errno) in
            do throws(Errno) {
                try synchronizeStored(descriptor.raw, dataOnly: dataOnly)
                try following?.copy.synchronize(dataOnly: dataOnly)
                try copying.synchronizePlace()
            } catch {
                syncFailures.withLock { $0.note(error) }
                throw error
            }
        }
    }

    /// The mark of a new handle. Like a new file description in Linux, it reports a failure that no
    /// handle has reported.
    package var syncMark: UInt64 {
        syncFailures.withLock { $0.isTold ? $0.count : $0.count - 1 }
    }

    /// The last failed sync, if the handle with this mark has not reported it; marks it as
    /// reported.
    package func takeSyncFailure(since mark: borrowing Atomic<UInt64>) -> Errno? {
        syncFailures.withLock { failures in
            let count = failures.count
            guard mark.exchange(count, ordering: .relaxed) != count else { return nil }
            failures.isTold = true
            return failures.last
        }
    }

    /// A failed sync that no handle has reported.
    package var untoldSyncFailure: Errno? {
        syncFailures.withLock { $0.isTold ? nil : $0.last }
    }
}
