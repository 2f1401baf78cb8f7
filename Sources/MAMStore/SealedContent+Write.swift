// Writing blocks: every change of a managed file ends in `writeRun`.

internal import MAMCrypto
internal import MAMFormat
internal import MAMSystem

/// Plain bytes for a place in the file. May be empty: blocks are then sealed again as they are.
struct Patch {
    let offset: Int64
    let bytes: UnsafeRawBufferPointer

    static func none(at offset: Int64) -> Patch {
        Patch(offset: offset, bytes: .init(start: nil, count: 0))
    }

    var range: Range<Int64> { offset..<offset + Int64(bytes.count) }

    /// The blocks that it lies in; it must not be empty.
    var blocks: ClosedRange<Int64> {
        Layout.block(at: offset)...Layout.block(at: range.upperBound - 1)
    }

    /// The blocks that it covers whole, but for its last one: that may be the file's last, of which the mark is not known
    /// before its turn.
    var interior: Range<Int64> {
        let coversFirst = offset == Layout.plainOffset(ofBlock: blocks.lowerBound)
        let first = coversFirst ? blocks.lowerBound : blocks.lowerBound + 1
        return first..<max(first, blocks.upperBound)
    }

    /// The bytes for a part of the range.
    func bytes(for part: Range<Int64>) -> UnsafeRawBufferPointer {
        .init(rebasing: bytes[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)])
    }
}

extension SealedContent {
    /// Gaps up to this many blocks are filled with sealed zeros; larger ones become holes.
    ///
    /// Write-back requests of one file arrive out of order, each up to 1 MiB, so small gaps are common and soon
    /// filled. Filling them keeps the file from being marked sparse, which would give up the detection of
    /// zeroed blocks.
    private static let filledGapBlockCount: Int64 = 1024

    /// Writes plain bytes; where they pass the end the file grows. On failure the old size holds.
    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, sealer: any HeaderSealer
    ) throws(StoreError) {
        guard !bytes.isEmpty else { return }
        guard offset >= 0, offset <= Layout.maximumPlainSize - Int64(bytes.count) else {
            throw .system(.fileTooLarge)
        }
        let patch = Patch(offset: offset, bytes: bytes)
        if patch.range.upperBound > extent.plainSize {
            return try grow(
                to: Extent(plainSize: patch.range.upperBound), with: patch, sealer: sealer)
        }
        try writeRun(patch.blocks, patch, becoming: extent)
    }

    // MARK: Beside others

    /// Seals what of a patch does not depend on whose turn it is: most of the work, on as many threads as there are.
    func sealInterior(of patch: Patch) throws(StoreError) -> SealedRun {
        guard let cipher else { throw .keyUnavailable }
        var run = SealedRun(for: patch)
        let interior = patch.interior
        guard !interior.isEmpty else { return run }
        let end = Extent(plainSize: patch.range.upperBound)
        try cipher.withSession { session throws(StoreError) in
            for block in interior {
                try sealBlock(block, patch, becoming: end, in: run, with: session)
            }
        }
        run.ahead = interior
        return run
    }

    /// Writes a patch that lies inside the file, whose blocks nobody else is at.
    func overwrite(_ patch: Patch, _ run: borrowing SealedRun) throws(StoreError) {
        try complete(run, patch.blocks, patch, becoming: extent)
    }

    /// True if a patch begins after the block that would follow the last one.
    func hasGap(before patch: Patch) -> Bool { patch.blocks.lowerBound > extent.blockCount }

    /// True if what is before a patch is too much to be filled.
    func needsHole(before patch: Patch) -> Bool {
        patch.blocks.lowerBound - extent.blockCount > Self.filledGapBlockCount
    }

    /// Writes a patch that was to make the file larger. Nobody else is at the last block or behind it.
    func overwriteOrGrow(_ patch: Patch, _ run: borrowing SealedRun) throws(StoreError) {
        // Somebody else may have come further meanwhile.
        guard patch.range.upperBound > extent.plainSize else { return try overwrite(patch, run) }
        let new = Extent(plainSize: patch.range.upperBound)
        let oldLast = extent.blockCount - 1
        let (first, last) = (patch.blocks.lowerBound, patch.blocks.upperBound)
        try growing(to: new) { () throws(StoreError) in
            if oldLast < first - 1 {
                try writeRun(oldLast...first - 1, .none(at: 0), becoming: new)
                return try complete(run, first...last, patch, becoming: new)
            }
            try complete(run, min(first, oldLast)...last, patch, becoming: new)
        }
    }

    // MARK: Growing

    /// Makes the file larger, with the patch (which may be empty) at its new end.
    func grow(
        to new: Extent, with patch: Patch, sealer: any HeaderSealer
    ) throws(StoreError) {
        try growing(to: new) { () throws(StoreError) in
            try writeGrowth(to: new, with: patch, sealer: sealer)
        }
    }

    /// `write` makes the new blocks, and seals the old last one anew.
    private func growing(
        to new: Extent, _ write: () throws(StoreError) -> Void
    ) throws(StoreError) {
        // It may come with the next try: there is nothing to be undone, which could fail.
        guard cipher != nil else { throw .keyUnavailable }
        let old = extent
        let start = (old.blockCount - 1) * Int64(Layout.blockByteCount)
        do throws(StoreError) {
            try write()
            // Otherwise ext4 may make the size durable long before it has found room for what was written. What lies before
            // had its turn when the file grew over it.
            startWriteBack(descriptor.raw, from: start)
            try system { () throws(Errno) in try setSize(descriptor.raw, new.physicalSize) }
            extent = new
        } catch {
            undoGrowth(to: old)
            throw error
        }
    }

    private func writeGrowth(
        to new: Extent, with patch: Patch, sealer: any HeaderSealer
    ) throws(StoreError) {
        let oldLast = extent.blockCount - 1
        let newLast = new.blockCount - 1
        let first = patch.bytes.isEmpty ? newLast : Layout.block(at: patch.offset)
        let gap = first - oldLast - 1
        if gap <= (patch.bytes.isEmpty ? 0 : Self.filledGapBlockCount) {
            // One run, the old last block in it: its end mark changes.
            return try writeRun(min(first, oldLast)...newLast, patch, becoming: new)
        }
        try markSparse(sealer)
        // First, for a killed daemon must not leave the mark of an end inside the file. Behind this
        // block may lie what an append left that failed, or that a crash cut short: no hole is
        // there.
        try writeRun(oldLast...oldLast + 1, .none(at: 0), becoming: new)
        try writeRun(first...newLast, patch, becoming: new)
    }

    /// The old last block may carry the new end mark by now; what is past the old size goes first.
    private func undoGrowth(to old: Extent) {
        // Room for the whole next block, of which nothing counts, so that it becomes a hole as a whole.
        let unused = Extent(blockCount: old.blockCount + 1, lastBlockUse: 0)
        _ = try? setSize(descriptor.raw, unused.physicalSize)
        free(block: old.blockCount)
        do throws(StoreError) {
            try system { () throws(Errno) in try setSize(descriptor.raw, old.physicalSize) }
            let last = old.blockCount - 1
            try writeRun(last...last, .none(at: 0), becoming: old)
        } catch {
            // The caller's error is the one to report. What is left is what a crash would leave, readable;
            // go on from there.
            let size = try? physicalSize(of: descriptor)
            extent = size.flatMap(Extent.init(physicalSize:)) ?? old
            isUnsealed = true
        }
    }

    /// Seals a run of blocks, with the patch where it overlaps them and their old content elsewhere, and
    /// writes them in order.
    func writeRun(
        _ blocks: ClosedRange<Int64>, _ patch: Patch, becoming new: Extent
    ) throws(StoreError) {
        var first = blocks.lowerBound
        while first <= blocks.upperBound {
            let last = min(blocks.upperBound, first + Int64(Scratch.blockCapacity) - 1)
            try complete(SealedRun(first...last), first...last, patch, becoming: new)
            first = last + 1
        }
    }

    /// Seals what of a run's blocks is not sealed yet, and writes them.
    private func complete(
        _ run: borrowing SealedRun, _ blocks: ClosedRange<Int64>, _ patch: Patch,
        becoming new: Extent
    ) throws(StoreError) {
        guard let cipher else { throw .keyUnavailable }
        try readOld(blocks, covered: patch, becoming: new, into: run)
        let ahead = run.ahead
        try cipher.withSession { session throws(StoreError) in
            for block in blocks where !ahead.contains(block) {
                try sealBlock(block, patch, becoming: new, in: run, with: session)
            }
        }
        let bytes = UnsafeRawBufferPointer(run.slots(of: blocks))
        let place = blocks.lowerBound * Int64(Layout.blockByteCount)
        try system { () throws(Errno) in
            try writeFully(descriptor.raw, from: bytes, at: place)
        }
    }

    /// Makes one physical block.
    private func sealBlock(
        _ block: Int64, _ patch: Patch, becoming new: Extent, in run: borrowing SealedRun,
        with session: borrowing BlockCipher.Session
    ) throws(StoreError) {
        let capacity = Layout.capacity(ofBlock: block)
        let start = Layout.plainOffset(ofBlock: block)
        let part = patch.range.clamped(to: start..<start + Int64(capacity))
        let (slot, random, aside) = (run.slot(of: block), run.nonce(of: block), run.scratch.aside)
        let payload: UnsafeRawBufferPointer
        if part.count == capacity {
            payload = patch.bytes(for: part)
        } else {
            payload = .init(rebasing: aside[..<capacity])
            try openOld(block, slot, into: aside, covered: part, becoming: new, with: session)
            if !part.isEmpty {
                UnsafeMutableRawBufferPointer(rebasing: aside[Int(part.lowerBound - start)...])
                    .copyMemory(from: patch.bytes(for: part))
            }
        }
        let mark = endMark(of: block, in: new)
        random?.storeBytes(
            of: mark.littleEndian, toByteOffset: BlockSeal.randomByteCount, as: UInt16.self)
        try seal(payload, as: block, nonce: random, into: slot, with: session)
    }

    /// Reads those blocks of a run of which something stays, neighbours at once: a page of the kernel's lies in two.
    private func readOld(
        _ blocks: ClosedRange<Int64>, covered patch: Patch, becoming new: Extent,
        into run: borrowing SealedRun
    ) throws(StoreError) {
        var wanted: ClosedRange<Int64>?
        for block in blocks
        where !run.ahead.contains(block) && keepsOld(of: block, covered: patch.range, new) > 0 {
            if let before = wanted {
                if before.upperBound + 1 == block {
                    wanted = before.lowerBound...block
                    continue
                }
                try read(before, into: run)
            }
            wanted = block...block
        }
        if let wanted { try read(wanted, into: run) }
    }

    private func read(
        _ blocks: ClosedRange<Int64>, into run: borrowing SealedRun
    ) throws(StoreError) {
        try readRun(run.slots(of: blocks), from: blocks.lowerBound)
    }

    /// How much of what a block holds is still needed, from its start; 0 for nothing.
    private func keepsOld(
        of block: Int64, covered: Range<Int64>, _ new: Extent
    ) -> Int {
        let kept = min(use(of: block, in: extent), use(of: block, in: new))
        let start = Layout.plainOffset(ofBlock: block)
        // Nothing of a damaged block is needed when all that it held is written anew: so damage can be healed.
        let isCovered = covered.lowerBound <= start && covered.upperBound >= start + Int64(kept)
        return isCovered ? 0 : kept
    }

    /// What a block held, zeros past the use it had and past the one it will have.
    private func openOld(
        _ block: Int64, _ physical: UnsafeMutableRawBufferPointer,
        into aside: UnsafeMutableRawBufferPointer, covered: Range<Int64>, becoming new: Extent,
        with session: borrowing BlockCipher.Session
    ) throws(StoreError) {
        let kept = keepsOld(of: block, covered: covered, new)
        if kept > 0 {
            try open(
                block, of: extent, UnsafeRawBufferPointer(physical), into: aside, with: session)
        }
        let capacity = Layout.capacity(ofBlock: block)
        UnsafeMutableRawBufferPointer(rebasing: aside[kept..<capacity]).zero()
    }

    /// Payload bytes that count in a block of a file of this extent; 0 past its end.
    func use(of block: Int64, in extent: Extent) -> Int {
        let last = extent.blockCount - 1
        return block < last
            ? Layout.capacity(ofBlock: block) : block == last ? extent.lastBlockUse : 0
    }

    /// Nonce, tag and ciphertext into their places; block 0 with the header before them.
    private func seal(
        _ payload: UnsafeRawBufferPointer, as block: Int64, nonce: UnsafeMutableRawPointer?,
        into slot: UnsafeMutableRawBufferPointer, with session: borrowing BlockCipher.Session
    ) throws(StoreError) {
        guard let base = slot.baseAddress, let nonce else { throw .cipherFailure }
        if block == 0 { headerBytes.withUnsafeBytes { slot.copyMemory(from: $0) } }
        let seal = base + (block == 0 ? Layout.headerByteCount : 0)
        var associated = AssociatedData(file: header.fileID, block: block)
        let sealed = associated.withBytes { data in
            do throws(SealError) {
                try session.seal(
                    payload, nonce: nonce, associatedData: data,
                    into: seal + Layout.sealByteCount, tag: seal + BlockSeal.nonceByteCount)
                return true
            } catch { return false }
        }
        guard sealed else { throw .cipherFailure }
        // Last, so that nothing is written when the cipher fails.
        seal.copyMemory(from: nonce, byteCount: BlockSeal.nonceByteCount)
    }
}
