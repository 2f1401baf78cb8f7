// Zeroes ranges of a managed file, and reserves space for it.

internal import MAMFormat
internal import MAMModel
internal import MAMSystem

/// The caller holds the file's lock exclusively.
struct HolePuncher {
    let content: SealedContent
    let sealer: any HeaderSealer

    /// Makes a range read as zeros and frees its whole blocks. Keeps the size.
    func zero(_ range: Range<Int64>) throws(StoreError) {
        let range = range.clamped(to: 0..<content.extent.plainSize)
        guard !range.isEmpty else { return }
        let whole = wholeBlocks(in: range)
        guard !whole.isEmpty else { return try writeZeros(range) }
        try writeZeros(range.lowerBound..<Layout.plainOffset(ofBlock: whole.lowerBound))
        try punch(whole)
        try writeZeros(Layout.plainOffset(ofBlock: whole.upperBound)..<range.upperBound)
    }

    /// The blocks of a range that may become holes: not block 0, which follows the header, nor the
    /// last one, which has the end mark.
    private func wholeBlocks(in range: Range<Int64>) -> Range<Int64> {
        let block = Layout.block(at: range.lowerBound)
        let startsInside = Layout.plainOffset(ofBlock: block) < range.lowerBound
        let first = max(1, startsInside ? block + 1 : block)
        let end = min(Layout.block(at: range.upperBound), content.extent.blockCount - 1)
        return first..<max(first, end)
    }

    private func punch(_ blocks: Range<Int64>) throws(StoreError) {
        try content.markSparse(sealer)
        let size = Int64(Layout.blockByteCount)
        try system { () throws(Errno) in
            try punchHole(
                content.descriptor.raw, at: blocks.lowerBound * size,
                count: Int64(blocks.count) * size)
        }
    }

    private func writeZeros(_ range: Range<Int64>) throws(StoreError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            // One write per block, so that a crash leaves all of its part or none.
            let block = Layout.block(at: offset)
            let end = min(range.upperBound, Layout.plainOffset(ofBlock: block + 1))
            let patch = Patch(
                offset: offset, bytes: .init(rebasing: zeros.bytes[..<Int(end - offset)]))
            try content.writeRun(block...block, patch, becoming: content.extent)
            offset = end
        }
    }

    /// fallocate(2) with mode 0 or `FALLOC_FL_KEEP_SIZE`: reserves space on the backing file
    /// system.
    func reserve(_ range: Range<Int64>, keepSize: Bool) throws(StoreError) {
        guard range.upperBound <= Layout.maximumPlainSize else { throw .system(.fileTooLarge) }
        let size = Int64(Layout.blockByteCount)
        let first = Layout.block(at: range.lowerBound)
        let end = Layout.block(at: range.upperBound - 1) + 1
        try system { () throws(Errno) in
            try reserveSpace(
                content.descriptor.raw, at: first * size, count: (end - first) * size,
                keepSize: true)
        }
        if !keepSize, range.upperBound > content.extent.plainSize {
            try Resizing(content: content).truncate(to: range.upperBound, sealer: sealer)
        }
    }
}
