// Whether a file ends where its last block says that it does.

internal import MAMFormat
internal import MAMSystem
internal import Synchronization

extension StoredFile {
    /// Opens the last block, once, and compares its mark with the file's size: throws `.wrongEnd`
    /// where they differ, as after a crash or a cut. Needs the key.
    ///
    /// Where the block does not verify nothing proves the end. What lies before it can be read all
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

    /// Seals the last block anew if its mark is not that of the file's size. True if it was so; to
    /// be synced by the caller.
    package func mendEnd() throws(StoreError) -> Bool {
        try lock.exclusive { () throws(StoreError) in
            guard case .sealed(let sealed) = content, !sealed.endLooksRight else { return false }
            return try sealed.mendEnd()
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

extension SealedContent {
    fileprivate func proveEnd() throws(StoreError) {
        // What could not be sealed yet has the mark of before.
        guard cipher != nil, !isEndProved, !isUnsealed else { return }
        let last = extent.blockCount - 1
        switch stateOfEnd() {
        case .good: isEndProved = true
        case .wrongEnd, .cutShort: throw .wrongEnd(block: last)
        case .otherHeader: throw .damaged(block: last)
        case .damaged, .lost, .zeroed, .unreadable:
            guard extent.lastBlockUse > 0 else { throw .damaged(block: last) }
            endMarkRule = .refuseInside
        }
    }

    fileprivate func mendEnd() throws(StoreError) -> Bool {
        guard cipher != nil else { throw .keyUnavailable }
        let last = extent.blockCount - 1
        switch stateOfEnd() {
        case .wrongEnd, .cutShort: try writeRun(last...last, .none(at: 0), becoming: extent)
        case .good, .otherHeader, .damaged, .lost, .zeroed: return false
        case .unreadable(let error): throw .system(error)
        }
        return true
    }

    private func stateOfEnd() -> BlockState {
        let last = extent.blockCount - 1
        var found = BlockState.good
        check(last..<last + 1, in: extent, withKey: true) { found = $1 }
        return found
    }
}
