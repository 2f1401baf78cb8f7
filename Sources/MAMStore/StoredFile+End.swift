// Whether a file ends where its last block says.

internal import MAMSystem
internal import Synchronization

extension StoredFile {
    /// Opens the last block, once, and compares its mark with the file's size: throws `.wrongEnd`
    /// if they differ, as after a crash or truncation. Needs the key.
    ///
    /// If the block does not verify, nothing proves the end. Earlier blocks can still be read,
    /// unless the last block has no bytes in use: then no read would notice.
    package func proveEnd() throws(StoreError) {
        let isProved = lock.shared {
            if case .sealed(let sealed) = content { sealed.isEndProved } else { true }
        }
        if isProved { return }
        try lock.exclusive { () throws(StoreError) in
            if case .sealed(let sealed) = content { try sealed.proveEnd() }
        }
    }

    /// A failed call may have left something unstored.
    package var isUnfinished: Bool {
        if syncFailures.withLock({ $0.count > 0 }) { return true }
        return lock.shared {
            if case .sealed(let sealed) = content { sealed.isUnsealed } else { false }
        }
    }
}
