// Sizes, holes and headers of managed files.

internal import MAMCrypto
internal import MAMFormat
internal import MAMSystem

extension SealedContent {
    /// ftruncate(2). A crash in between leaves the old size or the new one or, where blocks
    /// go, the new one made up to a whole block.
    func truncate(to size: Int64, sealer: any HeaderSealer) throws(StoreError) {
        guard size >= 0, size <= Layout.maximumPlainSize else { throw .system(.fileTooLarge) }
        let new = Extent(plainSize: size)
        guard new != extent else { return }
        guard size < extent.plainSize || new.blockCount < extent.blockCount else {
            return try grow(to: new, with: .none(at: size), sealer: sealer)
        }
        try shrink(to: new)
    }

    /// The size goes first: then the last block's end mark is all that a crash can leave undone.
    private func shrink(to new: Extent) throws(StoreError) {
        guard cipher != nil else { throw .keyUnavailable }
        let last = new.blockCount - 1
        // A hole that becomes the last block is sealed while it may still be one.
        if isSparse {
            try writeRun(last...last, .none(at: 0), becoming: extent)
        } else if new.lastBlockUse > 0 {
            try refuseDamage(of: last)
        }
        let old = extent
        do throws(StoreError) { try cut(to: new) } catch {
            isUnsealed = extent != old
            throw error
        }
        sealEnd(becoming: new)
    }

    /// Sets a smaller size.
    ///
    /// A cut inside a block puts zeros behind it, and these may be durable before the size is: a block that still counts
    /// would be damaged. So it is first made one that no longer does, for good, and then a hole, which takes no zeros.
    private func cut(to new: Extent) throws(StoreError) {
        guard new.blockCount < extent.blockCount, new.lastBlockUse > 0 else {
            return try system { () throws(Errno) in
                try setSize(descriptor.raw, new.physicalSize)
            }
        }
        let unused = Extent(blockCount: new.blockCount + 1, lastBlockUse: 0)
        try system { () throws(Errno) in try setSize(descriptor.raw, unused.physicalSize) }
        extent = unused
        // There is no way back: a failure is for the next who syncs.
        _ = try? synchronize()
        free(block: new.blockCount)
        try system { () throws(Errno) in
            // Once more, should it fail: there is no way back by now.
            do throws(Errno) { try setSize(descriptor.raw, new.physicalSize) } catch {
                try setSize(descriptor.raw, new.physicalSize)
            }
        }
    }

    /// What is left of a damaged block could not be sealed as the last one, and the rest would be gone by then.
    private func refuseDamage(of block: Int64) throws(StoreError) {
        var damage: StoreError?
        check(block..<block + 1, in: extent, withKey: true) { _, state in
            switch state {
            case .good, .otherHeader: break
            case .wrongEnd, .cutShort:
                if endMarkRule != .accept { damage = .wrongEnd(block: block) }
            case .unreadable(let error): damage = .system(error)
            case .damaged, .lost, .zeroed: damage = .damaged(block: block)
            }
        }
        if let damage { throw damage }
    }

    func free(block: Int64) {
        let size = Int64(Layout.blockByteCount)
        do throws(Errno) { try punchHole(descriptor.raw, at: block * size, count: size) } catch {
            // A file system without holes: a part of the old ciphertext stays behind the last block. Nobody reads it, and who grows
            // the file writes over it.
        }
    }

    /// Makes a range read as zeros and frees its whole blocks. The size stays.
    func zero(_ range: Range<Int64>, sealer: any HeaderSealer) throws(StoreError) {
        let range = range.clamped(to: 0..<extent.plainSize)
        guard !range.isEmpty else { return }
        let whole = wholeBlocks(in: range)
        guard !whole.isEmpty else { return try writeZeros(range) }
        try writeZeros(range.lowerBound..<Layout.plainOffset(ofBlock: whole.lowerBound))
        try punch(whole, sealer: sealer)
        try writeZeros(Layout.plainOffset(ofBlock: whole.upperBound)..<range.upperBound)
    }

    /// The blocks of a range that may become holes: block 0 holds the header, and the last one the end mark.
    private func wholeBlocks(in range: Range<Int64>) -> Range<Int64> {
        let block = Layout.block(at: range.lowerBound)
        let startsInside = Layout.plainOffset(ofBlock: block) < range.lowerBound
        let first = max(1, startsInside ? block + 1 : block)
        let end = min(Layout.block(at: range.upperBound), extent.blockCount - 1)
        return first..<max(first, end)
    }

    private func punch(_ blocks: Range<Int64>, sealer: any HeaderSealer) throws(StoreError) {
        try markSparse(sealer)
        let size = Int64(Layout.blockByteCount)
        try system { () throws(Errno) in
            try punchHole(
                descriptor.raw, at: blocks.lowerBound * size, count: Int64(blocks.count) * size)
        }
    }

    private func writeZeros(_ range: Range<Int64>) throws(StoreError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            // Each block in one write: a crash then leaves all of its part or none.
            let block = Layout.block(at: offset)
            let end = min(range.upperBound, Layout.plainOffset(ofBlock: block + 1))
            let patch = Patch(
                offset: offset, bytes: .init(rebasing: zeros.bytes[..<Int(end - offset)]))
            try writeRun(block...block, patch, becoming: extent)
            offset = end
        }
    }

    /// fallocate(2) without a mode, or with `FALLOC_FL_KEEP_SIZE`: space on the backing file system.
    func reserve(
        _ range: Range<Int64>, keepSize: Bool, sealer: any HeaderSealer
    ) throws(StoreError) {
        guard range.upperBound <= Layout.maximumPlainSize else { throw .system(.fileTooLarge) }
        let size = Int64(Layout.blockByteCount)
        let first = Layout.block(at: range.lowerBound)
        let end = Layout.block(at: range.upperBound - 1) + 1
        try system { () throws(Errno) in
            try reserveSpace(
                descriptor.raw, at: first * size, count: (end - first) * size, keepSize: true)
        }
        if !keepSize, range.upperBound > extent.plainSize {
            try truncate(to: range.upperBound, sealer: sealer)
        }
    }

    /// Lets all-zero blocks pass as holes from now on.
    ///
    /// Synced before any hole is made: a hole that became durable without the flag would be damage. Once in a
    /// file's life.
    func markSparse(_ sealer: any HeaderSealer) throws(StoreError) {
        if !isSparse {
            var changed = header
            changed.sealing?.isSparse = true
            try rewriteHeader(changed, sealer: sealer)
            needsSparseSync = true
        }
        guard needsSparseSync else { return }
        try system { () throws(Errno) in try synchronize() }
        needsSparseSync = false
    }

    /// Wraps the file key anew under what the header now says; the content stays. One write of block 0.
    func rewriteHeader(_ changed: FileHeader, sealer: any HeaderSealer) throws(StoreError) {
        guard let cipher else { throw .keyUnavailable }
        let scratch = Scratch()
        let block = UnsafeMutableRawBufferPointer(rebasing: scratch.run[..<Layout.blockByteCount])
        let done = try system { () throws(Errno) in
            try readFully(descriptor.raw, into: block, at: 0)
        }
        guard done == block.count else { throw .damaged(block: 0) }
        let head = UnsafeMutableRawBufferPointer(rebasing: block[..<FileHeader.byteCount])
        let written = try sealer.seal(changed, key: cipher.key, into: head)
        try system { () throws(Errno) in
            try writeFully(descriptor.raw, from: UnsafeRawBufferPointer(block), at: 0)
        }
        header = written
        headerBytes = [UInt8](head)
    }
}

/// A payload's worth of zeros.
let zeros = ZeroBytes(count: Layout.payloadByteCount)

final class ZeroBytes: @unchecked Sendable {
    // Never written after `init`.
    let bytes: UnsafeRawBufferPointer
    var count: Int { bytes.count }

    init(count: Int) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        bytes = UnsafeRawBufferPointer(memory)
    }
}
