// Looking at blocks without stopping at the first that is wrong, and mending those that can be.

internal import Glibc
internal import MAMCrypto
internal import MAMFormat
internal import MAMSystem

extension SealedContent {
    /// Looks at a run of at most ``Scratch/blockCapacity`` blocks, as those of a file of this extent.
    ///
    /// Without the key what can be seen without it: zeros, and end marks.
    func check(
        _ blocks: Range<Int64>, in extent: Extent, withKey: Bool,
        _ visit: (Int64, BlockState) -> Void
    ) {
        let scratch = Scratch()
        guard withKey, let cipher else {
            return readEach(blocks, scratch.run) { block, physical in
                visit(block, state(of: block, physical, in: extent) { _ in true })
            } orFailing: {
                visit($0, $1)
            }
        }
        cipher.withSession { session in
            readEach(blocks, scratch.run) { block, physical in
                let state = state(of: block, physical, in: extent) { seal in
                    verifies(block, seal, into: scratch.aside, with: session)
                }
                visit(block, state)
            } orFailing: {
                visit($0, $1)
            }
        }
    }

    private func readEach(
        _ blocks: Range<Int64>, _ room: UnsafeMutableRawBufferPointer,
        _ body: (Int64, UnsafeRawBufferPointer) -> Void,
        orFailing fail: (Int64, BlockState) -> Void
    ) {
        readBlocks(blocks, of: descriptor, into: room) { block, bytes, error in
            if let bytes { return body(block, bytes) }
            // Shorter than its size says: it was cut behind our back.
            fail(block, error.map { .unreadable($0) } ?? .damaged)
        }
    }

    private func state(
        of block: Int64, _ physical: UnsafeRawBufferPointer, in extent: Extent,
        verifies: (UnsafeRawBufferPointer) -> Bool
    ) -> BlockState {
        let seal = sealedPart(of: block, physical)
        if block > 0, seal.isAllZero { return allowsHole(at: block, in: extent) ? .good : .zeroed }
        let wanted = endMark(of: block, in: extent)
        if LostBlock.matches(seal, endMark: wanted) { return .lost }
        guard verifies(seal) else { return .damaged }
        if block == 0, !beginsWithHeader(physical) { return .otherHeader }
        if seal.endMark == wanted { return .good }
        let toldMore = seal.endMark == 0 || seal.endMark > wanted
        return block == extent.blockCount - 1 && toldMore ? .cutShort : .wrongEnd
    }

    private func beginsWithHeader(_ physical: UnsafeRawBufferPointer) -> Bool {
        headerBytes.withUnsafeBytes { header in
            guard let header = header.baseAddress, let physical = physical.baseAddress else {
                return false
            }
            return memcmp(header, physical, Layout.headerByteCount) == 0
        }
    }

    func allowsHole(at block: Int64, in extent: Extent) -> Bool {
        isSparse && block < extent.blockCount - 1
    }

    /// Seals anew what of a run is zero or has a wrong end mark; zeros stay zeros. True if anything was.
    func mend(_ blocks: Range<Int64>) throws(StoreError) -> Bool {
        guard cipher != nil else { throw .keyUnavailable }
        var zeroed: [Int64] = []
        var misplaced: [Int64] = []
        check(blocks, in: extent, withKey: true) { block, state in
            switch state {
            case .zeroed: zeroed.append(block)
            case .wrongEnd, .cutShort, .otherHeader: misplaced.append(block)
            case .good, .damaged, .lost, .unreadable: break
            }
        }
        for block in zeroed {
            let content = UnsafeRawBufferPointer(
                rebasing: zeros.bytes[..<use(of: block, in: extent)])
            let patch = Patch(offset: Layout.plainOffset(ofBlock: block), bytes: content)
            try writeRun(block...block, patch, becoming: extent)
        }
        for block in misplaced {
            try writeRun(block...block, .none(at: 0), becoming: extent)
        }
        return !zeroed.isEmpty || !misplaced.isEmpty
    }
}

/// Reads blocks all at once, or one by one where that fails: one that the disk has lost does not hide the others.
///
/// `visit` gets the block's bytes; or an error, or neither where the file ends before.
func readBlocks(
    _ blocks: Range<Int64>, of file: Descriptor, into room: UnsafeMutableRawBufferPointer,
    _ visit: (Int64, UnsafeRawBufferPointer?, Errno?) -> Void
) {
    let size = Layout.blockByteCount
    let run = UnsafeMutableRawBufferPointer(rebasing: room[..<(blocks.count * size)])
    let done = try? readFully(file.raw, into: run, at: blocks.lowerBound * Int64(size))
    for block in blocks {
        let start = Int(block - blocks.lowerBound) * size
        let slot = UnsafeMutableRawBufferPointer(rebasing: run[start..<start + size])
        do throws(Errno) {
            if let done, done >= start + size {
                visit(block, UnsafeRawBufferPointer(slot), nil)
                continue
            }
            let count = try readFully(file.raw, into: slot, at: block * Int64(size))
            visit(block, count == size ? UnsafeRawBufferPointer(slot) : nil, nil)
        } catch { visit(block, nil, error) }
    }
}
