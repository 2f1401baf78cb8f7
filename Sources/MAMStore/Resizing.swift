// Sizes of managed files.

internal import MAMCrypto
internal import MAMFormat
internal import MAMSystem

/// The caller holds the file's lock alone, or has all from the last block on for itself.
struct Resizing {
    let content: SealedContent

    /// ftruncate(2). A crash in between leaves the old size or the new one or, where blocks
    /// go, the new one made up to a whole block.
    func truncate(to size: Int64, sealer: any HeaderSealer) throws(StoreError) {
        guard size >= 0, size <= Layout.maximumPlainSize else { throw .system(.fileTooLarge) }
        let new = Extent(plainSize: size)
        guard new != content.extent else { return }
        guard size < content.extent.plainSize || new.blockCount < content.extent.blockCount else {
            return try grow(to: new, with: .none(at: size), sealer: sealer)
        }
        try shrink(to: new)
    }

    /// The size goes first: then the last block's end mark is all that a crash can leave undone.
    private func shrink(to new: Extent) throws(StoreError) {
        guard content.cipher != nil else { throw .keyUnavailable }
        let last = new.blockCount - 1
        // A hole that becomes the last block is sealed while it may still be one.
        if content.isSparse {
            try content.writeRun(last...last, .none(at: 0), becoming: content.extent)
        } else if new.lastBlockUse > 0 {
            try refuseDamage(of: last)
        }
        let old = content.extent
        do throws(StoreError) { try cut(to: new) } catch {
            content.isUnsealed = content.extent != old
            throw error
        }
        content.sealEnd(becoming: new)
    }

    /// Sets a smaller size.
    ///
    /// A cut inside a block puts zeros behind it, and these may be durable before the size is: a
    /// block that still counts would be damaged. So it is first made one that no longer does, for
    /// good, and then a hole, which takes no zeros.
    private func cut(to new: Extent) throws(StoreError) {
        guard new.blockCount < content.extent.blockCount, new.lastBlockUse > 0 else {
            return try setPhysicalSize(new)
        }
        let unused = Extent(blockCount: new.blockCount + 1, lastBlockUse: 0)
        try setPhysicalSize(unused)
        content.extent = unused
        // There is no way back: a failure is for the next who syncs.
        _ = try? content.synchronize()
        free(block: new.blockCount, of: content.descriptor)
        try system { () throws(Errno) in
            // Once more, should it fail: there is no way back by now.
            do throws(Errno) { try setSize(content.descriptor.raw, new.physicalSize) } catch {
                try setSize(content.descriptor.raw, new.physicalSize)
            }
        }
    }

    private func setPhysicalSize(_ extent: Extent) throws(StoreError) {
        try system { () throws(Errno) in
            try setSize(content.descriptor.raw, extent.physicalSize)
        }
    }

    /// What is left of a damaged block could not be sealed as the last one, and the rest would be
    /// gone by then.
    private func refuseDamage(of block: Int64) throws(StoreError) {
        var damage: StoreError?
        BlockInspection(content: content).check(
            block..<block + 1, in: content.extent, withKey: true
        ) { _, state in
            switch state {
            case .good, .otherHeader: break
            case .wrongEnd, .cutShort:
                if content.endMarkRule != .accept { damage = .wrongEnd(block: block) }
            case .unreadable(let error): damage = .system(error)
            case .damaged, .lost, .zeroed: damage = .damaged(block: block)
            }
        }
        if let damage { throw damage }
    }
}

// MARK: Growing

extension Resizing {
    /// Makes the file larger, with the patch (which may be empty) at its new end.
    func grow(
        to new: Extent, with patch: Patch, sealer: any HeaderSealer
    ) throws(StoreError) {
        try growing(to: new) { () throws(StoreError) in
            try writeGrowth(to: new, with: patch, sealer: sealer)
        }
    }

    /// `write` makes the new blocks, and seals the old last one anew.
    func growing(
        to new: Extent, _ write: () throws(StoreError) -> Void
    ) throws(StoreError) {
        // It may come with the next try: there is nothing to be undone, which could fail.
        guard content.cipher != nil else { throw .keyUnavailable }
        let old = content.extent
        let start = (old.blockCount - 1) * Int64(Layout.blockByteCount)
        do throws(StoreError) {
            try write()
            // Otherwise ext4 may make the size durable long before it has found room for what was
            // written. What is before had its turn when the file grew over it.
            startWriteBack(content.descriptor.raw, from: start)
            try setPhysicalSize(new)
            content.extent = new
        } catch {
            undoGrowth(to: old)
            throw error
        }
    }

    private func writeGrowth(
        to new: Extent, with patch: Patch, sealer: any HeaderSealer
    ) throws(StoreError) {
        let oldLast = content.extent.blockCount - 1
        let newLast = new.blockCount - 1
        let first = patch.bytes.isEmpty ? newLast : Layout.block(at: patch.offset)
        let gap = first - oldLast - 1
        if gap <= (patch.bytes.isEmpty ? 0 : SealedContent.filledGapBlockCount) {
            // One run, the old last block in it: its end mark changes.
            return try content.writeRun(min(first, oldLast)...newLast, patch, becoming: new)
        }
        try content.markSparse(sealer)
        // First, for a killed daemon must not leave the mark of an end inside the file. Behind this
        // block may lie what an append left that failed, or that a crash cut short: no hole is
        // there.
        try content.writeRun(oldLast...oldLast + 1, .none(at: 0), becoming: new)
        try content.writeRun(first...newLast, patch, becoming: new)
    }

    /// The old last block may carry the new end mark by now; what is past the old size goes first.
    private func undoGrowth(to old: Extent) {
        // Room for the whole next block, of which nothing counts, so that it becomes a hole as a
        // whole.
        let unused = Extent(blockCount: old.blockCount + 1, lastBlockUse: 0)
        _ = try? setSize(content.descriptor.raw, unused.physicalSize)
        free(block: old.blockCount, of: content.descriptor)
        do throws(StoreError) {
            try setPhysicalSize(old)
            let last = old.blockCount - 1
            try content.writeRun(last...last, .none(at: 0), becoming: old)
        } catch {
            // The caller's error is the one to report. What is left is what a crash would leave,
            // readable; go on from there.
            let size = try? physicalSize(of: content.descriptor)
            content.extent = size.flatMap(Extent.init(physicalSize:)) ?? old
            content.isUnsealed = true
        }
    }
}

private func free(block: Int64, of descriptor: Descriptor) {
    let size = Int64(Layout.blockByteCount)
    do throws(Errno) { try punchHole(descriptor.raw, at: block * size, count: size) } catch {
        // A file system without holes: a part of the old ciphertext stays behind the last block.
        // Nobody reads it, and who grows the file writes over it.
    }
}
