// Whether a file ends where its last block says that it does.

internal import MAMSystem
internal import Synchronization

extension StoredFile {
    /// Opens the last block, once, and compares its mark with the file's size: throws `.wrongEnd`
    /// where they differ, as after a crash or a cut. Needs the key.
    ///
    /// Where the block does not verify nothing proves the end. What is before it can be read all
    /// the same, unless nothing of that block would be: then no read would tell.
    package func proveEnd() throws(StoreError) {
        let isProved = lock.shared {
            if case .sealed(let sealed) = content { sealed.isEndProved } else { true }
        }
        if isProved { return }
        try lock.exclusive { () throws(StoreError) in
            if case .sealed(let sealed) = content { try sealed.proveEnd() }
        }
    }

    /// Something that was to be stored may not be, by a call that failed.
    package var isUnfinished: Bool {
        if syncFailures.withLock({ $0.count > 0 }) { return true }
        return lock.shared {
            if case .sealed(let sealed) = content { sealed.isUnsealed } else { false }
        }
    }
}
