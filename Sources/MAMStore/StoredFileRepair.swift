// Repairs a file step by step while it is in use.

internal import MAMFormat
internal import MAMModel
package import MAMSystem

/// Repairs of a file that a check found damaged.
package struct StoredFileRepair {
    let file: StoredFile

    /// Sets the size that the blocks imply; the caller has verified the last block. True if it was
    /// different; the change is then durable.
    package func cutUnfinishedTail() throws(StoreError) -> Bool {
        try file.lock.exclusive { () throws(StoreError) in
            defer { file.refreshSize() }
            guard case .sealed(let sealed) = file.content else { return false }
            return try ContentRepair(content: sealed).takeToldSize()
        }
    }

    package enum MendedEnd: Sendable {
        /// The file got the size that its last block implies.
        case cut
        /// The last block was sealed again, for the current size.
        case sealed
    }

    /// Makes the size and the last block's mark agree, if that block verifies. Nil if they already
    /// did, or it does not verify; the caller syncs.
    ///
    /// `mayCut`: false while the file is open, because its user knows its size.
    package func mendEnd(mayCut: Bool) throws(StoreError) -> MendedEnd? {
        try file.lock.exclusive { () throws(StoreError) in
            defer { file.refreshSize() }
            guard case .sealed(let sealed) = file.content, !sealed.endLooksRight else { return nil }
            return try ContentRepair(content: sealed).mendEnd(mayCut: mayCut)
        }
    }

    /// Seals all-zero blocks as zeros, and blocks with a wrong end mark with the right one. True if
    /// there were any; the caller syncs.
    package func mend() throws(StoreError) -> Bool {
        try changeInSteps { repair, blocks throws(StoreError) in try repair.mend(blocks) }
    }

    /// Marks blocks that do not verify as lost (docs/FORMAT.md, section 1.2). True if there were
    /// any; the caller syncs. What they held is durable in `copy`, at the same offsets.
    package func markLost(keepingIn copy: Descriptor) throws(StoreError) -> Bool {
        try changeInSteps { repair, blocks throws(StoreError) in
            try repair.markLost(blocks, keepingIn: copy)
        }
    }

    /// True if any step made a change.
    private func changeInSteps(
        _ change: (ContentRepair, Range<Int64>) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        var hasChanged = false
        var first: Int64 = 0
        let count = BlockInspection.stepBlockCount
        while true {
            let isLast = try file.lock.exclusive { () throws(StoreError) in
                guard case .sealed(let sealed) = file.content else { return true }
                let end = min(first + count, sealed.extent.blockCount)
                guard first < end else { return true }
                hasChanged = try change(ContentRepair(content: sealed), first..<end) || hasChanged
                return false
            }
            if isLast { return hasChanged }
            first += count
        }
    }
}

extension StoredFile {
    package var repair: StoredFileRepair { StoredFileRepair(file: self) }
}
