// Whether a file ends where its last block says.

package import MAMFormat
internal import MAMModel
internal import MAMSystem
internal import Synchronization

extension StoredFile {
    /// Opens the last block, once, and compares its mark with the file's size: throws `.wrongEnd`
    /// if they differ, as after a crash or truncation. Needs the key.
    ///
    /// If the block does not verify, nothing proves the end: throws `.damaged`, for blocks may have
    /// been cut out before it. Where the disk cannot read it, a repair has given it up or a crash
    /// may have left it so, earlier blocks can still be read, unless the last block has no bytes in
    /// use: then no read would notice.
    ///
    /// `mayBeUnfinished`: whether a crash may have; asked while the file is locked.
    package func proveEnd(
        mayBeUnfinished: (FileHeader) -> Bool = { _ in false }
    ) throws(StoreError) {
        let isProved = lock.shared {
            if case .sealed(let sealed) = content { sealed.isEndProved } else { true }
        }
        if isProved { return }
        try lock.exclusive { () throws(StoreError) in
            guard case .sealed(let sealed) = content else { return }
            try sealed.proveEnd(mayBeUnfinished: mayBeUnfinished)
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
