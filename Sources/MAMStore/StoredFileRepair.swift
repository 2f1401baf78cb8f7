// Mending a file piece by piece, while others use it.

internal import MAMFormat
package import MAMSystem

/// What is done to a file that a check found to be damaged.
package struct StoredFileRepair {
    let file: StoredFile

    /// Gives the file the size that its blocks tell; the last must have been verified. True if
    /// it had another size, and the change is durable then.
    package func cutUnfinishedTail() throws(StoreError) -> Bool {
        try file.lock.exclusive { () throws(StoreError) in
            defer { file.refreshSize() }
            guard case .sealed(let sealed) = file.content else { return false }
            return try ContentRepair(content: sealed).takeToldSize()
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
        try file.lock.exclusive { () throws(StoreError) in
            defer { file.refreshSize() }
            guard case .sealed(let sealed) = file.content, !sealed.endLooksRight else { return nil }
            return try ContentRepair(content: sealed).mendEnd(mayCut: mayCut)
        }
    }

    /// Seals all-zero blocks as zeros, and blocks with a wrong end mark with the right one. True if
    /// there were any; to be synced by the caller.
    package func mend() throws(StoreError) -> Bool {
        try changeInSteps { repair, blocks throws(StoreError) in try repair.mend(blocks) }
    }

    /// Marks blocks that do not verify as lost (docs/FORMAT.md, section 1.2). True if there were
    /// any; to be synced by the caller. What they held is durable in `copy`, at the same offsets.
    package func markLost(keepingIn copy: Descriptor) throws(StoreError) -> Bool {
        try changeInSteps { repair, blocks throws(StoreError) in
            try repair.markLost(blocks, keepingIn: copy)
        }
    }

    /// True if the change was one for any step.
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
