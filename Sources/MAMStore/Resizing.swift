// Changes the size of managed files.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel
internal import MAMSystem

/// The caller holds the file's lock exclusively, or all blocks from the last on.
struct Resizing {
    let content: SealedContent

    /// ftruncate(2). A crash leaves the old size or the new one or, if blocks are freed, the new
    /// one rounded up to a whole block.
    func truncate(to size: Int64, sealer: any HeaderSealer) throws(StoreError) {
        guard size >= 0, size <= Layout.maximumPlainSize else { throw .system(.fileTooLarge) }
        let new = Extent(plainSize: size)
        guard new != content.extent else { return }
        guard size < content.extent.plainSize || new.blockCount < content.extent.blockCount else {
            return try grow(to: new, with: .none(at: size), sealer: sealer)
        }
        try shrink(to: new)
    }

    /// Sets the size first: then a crash can leave only the last block's end mark wrong.
    private func shrink(to new: Extent) throws(StoreError) {
        guard content.cipher != nil else { throw .keyUnavailable }
        let last = new.blockCount - 1
        // A hole that becomes the last block is sealed while it may still be a hole.
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
    /// Truncating inside a block zeroes the rest, and the zeros may be durable before the size: a
    /// block still in use would be damaged. So the size is first durably set to exclude the block,
    /// then the block becomes a hole, which cannot be zeroed.
    private func cut(to new: Extent) throws(StoreError) {
        guard new.blockCount < content.extent.blockCount, new.lastBlockUse > 0 else {
            return try setPhysicalSize(new)
        }
        let unused = Extent(blockCount: new.blockCount + 1, lastBlockUse: 0)
        try setPhysicalSize(unused)
        content.extent = unused
        // The truncation cannot be undone: the next sync reports the failure.
        _ = try? content.synchronize()
        free(block: new.blockCount, of: content.descriptor)
        try system { () throws(Errno) in
            // Retries once, because the truncation cannot be undone.
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

    /// The rest of a damaged block could not be sealed as the last one, and truncation would
    /// destroy what follows.
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
    /// Extends the file; the patch, which may be empty, ends at its new end.
    func grow(
        to new: Extent, with patch: Patch, sealer: any HeaderSealer
    ) throws(StoreError) {
        try growing(to: new) { () throws(StoreError) in
            try writeGrowth(to: new, with: patch, sealer: sealer)
        }
    }

    /// `write` writes the new blocks, and seals the old last block again.
    func growing(
        to new: Extent, _ write: () throws(StoreError) -> Void
    ) throws(StoreError) {
        // The caller retries once it has the key. Fails here, where nothing has to be undone.
        guard content.cipher != nil else { throw .keyUnavailable }
        let old = content.extent
        do throws(StoreError) {
            try write()
            // Otherwise ext4 makes the size durable long before it allocates the data (delayed
            // allocation). Earlier blocks were handled when the file grew over them.
            beginWriteBack(from: (old.blockCount - 1) * Int64(Layout.blockByteCount), of: new)
            try setPhysicalSize(new)
            content.extent = new
        } catch {
            undoGrowth(to: old)
            throw error
        }
    }

    private func beginWriteBack(from start: Int64, of new: Extent) {
        guard new.blockCount <= Self.smallBlockCount else {
            return startWriteBack(content.descriptor.raw, from: start)
        }
        startWriteBackSoon(content.descriptor, from: start)
    }

    private static let smallBlockCount: Int64 = 16

    private func writeGrowth(
        to new: Extent, with patch: Patch, sealer: any HeaderSealer
    ) throws(StoreError) {
        let oldLast = content.extent.blockCount - 1
        let newLast = new.blockCount - 1
        let first = patch.bytes.isEmpty ? newLast : Layout.block(at: patch.offset)
        let gap = first - oldLast - 1
        if gap <= (patch.bytes.isEmpty ? 0 : SealedContent.filledGapBlockCount) {
            // One run that includes the old last block, whose end mark changes.
            return try content.writeRun(min(first, oldLast)...newLast, patch, becoming: new)
        }
        try content.markSparse(sealer)
        // First, because a killed daemon must not leave an end mark inside the file. The next block
        // is rewritten too: an append that failed or that a crash interrupted may have left data
        // there, so it would not be a hole.
        try content.writeRun(oldLast...oldLast + 1, .none(at: 0), becoming: new)
        try content.writeRun(first...newLast, patch, becoming: new)
    }

    /// The old last block may already have the new end mark; what is past the old size is removed
    /// first.
    private func undoGrowth(to old: Extent) {
        do throws(StoreError) {
            try removeGrowth(to: old)
            let last = old.blockCount - 1
            try content.writeRun(last...last, .none(at: 0), becoming: old)
        } catch {
            // Report the caller's error. The file is now as after a crash, readable: continue from
            // its actual size.
            let size = try? physicalSize(of: content.descriptor)
            content.extent = size.flatMap(Extent.init(physicalSize:)) ?? old
            content.isUnsealed = true
        }
    }

    private func removeGrowth(to old: Extent) throws(StoreError) {
        // Under a full quota btrfs lets a file grow, and then refuses to cut it.
        guard try physicalSize(of: content.descriptor) != old.physicalSize else { return }
        // Includes the whole next block with no bytes in use, so that all of it becomes a hole.
        let unused = Extent(blockCount: old.blockCount + 1, lastBlockUse: 0)
        _ = try? setSize(content.descriptor.raw, unused.physicalSize)
        free(block: old.blockCount, of: content.descriptor)
        try setPhysicalSize(old)
    }
}

private func free(block: Int64, of descriptor: Descriptor) {
    let size = Int64(Layout.blockByteCount)
    do throws(Errno) { try punchHole(descriptor.raw, at: block * size, count: size) } catch {
        // No holes on this file system: old ciphertext stays after the last block. Nothing reads
        // it, and growth overwrites it.
    }
}
