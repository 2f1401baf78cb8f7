// Writes blocks: every change to a managed file ends in `writeRun`.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel
internal import MAMSystem

extension SealedContent {
    /// Gaps up to this many blocks are filled with sealed zeros; larger ones become holes.
    ///
    /// Write-back requests of one file arrive out of order, each up to 1 MiB, so small gaps are
    /// common and soon filled. Filling them keeps the file from being marked sparse, which would
    /// disable the detection of zeroed blocks.
    static let filledGapBlockCount: Int64 = 1024

    /// Writes plain bytes, growing the file if they pass its end. Keeps the old size on failure.
    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, sealer: any HeaderSealer
    ) throws(StoreError) {
        guard !bytes.isEmpty else { return }
        guard offset >= 0, offset <= Layout.maximumPlainSize - Int64(bytes.count) else {
            throw .system(.fileTooLarge)
        }
        let patch = Patch(offset: offset, bytes: bytes)
        if patch.range.upperBound > extent.plainSize {
            return try Resizing(content: self).grow(
                to: Extent(plainSize: patch.range.upperBound), with: patch, sealer: sealer)
        }
        try writeRun(patch.blocks, patch, becoming: extent)
    }

    // MARK: Parallel writes

    /// Seals the blocks of a patch that do not depend on the order of writes: most of the work, in
    /// parallel on all threads.
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

    /// Writes a patch inside the file; the caller has exclusive use of its blocks.
    func overwrite(_ patch: Patch, _ run: borrowing SealedRun) throws(StoreError) {
        try complete(run, patch.blocks, patch, becoming: extent)
    }

    /// True if a patch begins after the block that follows the last one.
    func hasGap(before patch: Patch) -> Bool { patch.blocks.lowerBound > extent.blockCount }

    /// True if the gap before a patch is too large to fill.
    func needsHole(before patch: Patch) -> Bool {
        patch.blocks.lowerBound - extent.blockCount > Self.filledGapBlockCount
    }

    /// Writes a patch announced as growth; the caller has exclusive use of the last block and all
    /// after it.
    func overwriteOrGrow(_ patch: Patch, _ run: borrowing SealedRun) throws(StoreError) {
        // Another write may have extended the file meanwhile.
        guard patch.range.upperBound > extent.plainSize else { return try overwrite(patch, run) }
        let new = Extent(plainSize: patch.range.upperBound)
        let oldLast = extent.blockCount - 1
        let (first, last) = (patch.blocks.lowerBound, patch.blocks.upperBound)
        try Resizing(content: self).growing(to: new) { () throws(StoreError) in
            if oldLast < first - 1 {
                try writeRun(oldLast...first - 1, .none(at: 0), becoming: new)
                return try complete(run, first...last, patch, becoming: new)
            }
            try complete(run, min(first, oldLast)...last, patch, becoming: new)
        }
    }

    /// Seals a run of blocks, with the patch where it overlaps and old content elsewhere, and
    /// writes it.
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

    /// Seals the blocks of a run that are not sealed yet, and writes them all.
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
}
