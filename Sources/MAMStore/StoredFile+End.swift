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

    package enum MendedEnd: Sendable {
        /// The file got the size that its last block tells.
        case cut
        /// The last block was sealed anew, for the size that the file has.
        case sealed
    }

    /// Brings the size and the mark of the last block together, if that block verifies. Nil if they
    /// were so, or it does not; to be synced by the caller.
    ///
    /// `mayCut`: false while somebody has the file open, and knows its size.
    package func mendEnd(mayCut: Bool) throws(StoreError) -> MendedEnd? {
        try lock.exclusive { () throws(StoreError) in
            defer { refreshSize() }
            guard case .sealed(let sealed) = content, !sealed.endLooksRight else { return nil }
            return try sealed.mendEnd(mayCut: mayCut)
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

    fileprivate func mendEnd(mayCut: Bool) throws(StoreError) -> StoredFile.MendedEnd? {
        guard cipher != nil else { throw .keyUnavailable }
        let last = extent.blockCount - 1
        switch stateOfEnd() {
        case .wrongEnd:
            guard mayCut else { return nil }
            return try takeToldSize() ? .cut : nil
        case .cutShort:
            try writeRun(last...last, .none(at: 0), becoming: extent)
            return .sealed
        case .good, .otherHeader, .damaged, .lost, .zeroed: return nil
        case .unreadable(let error): throw .system(error)
        }
    }

    private func stateOfEnd() -> BlockState {
        let last = extent.blockCount - 1
        var found = BlockState.good
        check(last..<last + 1, in: extent, withKey: true) { found = $1 }
        return found
    }
}
