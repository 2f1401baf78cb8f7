// Checks blocks without stopping at the first damaged one.

internal import Glibc
internal import MAMCrypto
internal import MAMFormat
internal import MAMModel
internal import MAMSystem

/// Checks the blocks of a managed file without changing anything.
struct BlockInspection {
    /// 1 MiB of the backing file: a step holds the lock for this long, and writers wait.
    static let stepBlockCount = Int64((1 << 20) / Layout.blockByteCount)

    let content: SealedContent

    /// Checks a run of at most ``Scratch/blockCapacity`` blocks, as part of a file of this extent.
    ///
    /// Without the key it checks what it can: zeros and end marks.
    func check(
        _ blocks: Range<Int64>, in extent: Extent, withKey: Bool,
        _ visit: (Int64, BlockState) -> Void
    ) {
        let scratch = Scratch()
        guard withKey, let cipher = content.cipher else {
            return readEach(blocks, scratch.run) { block, physical in
                visit(block, state(of: block, physical, in: extent) { _ in true })
            } orFailing: {
                visit($0, $1)
            }
        }
        cipher.withSession { session in
            readEach(blocks, scratch.run) { block, physical in
                let state = state(of: block, physical, in: extent) { seal in
                    content.verifies(block, seal, into: scratch.aside, with: session)
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
        readBlocks(blocks, of: content.descriptor, into: room) { block, bytes, error in
            if let bytes { return body(block, bytes) }
            // The file is shorter than its known size: another program truncated the backing file.
            fail(block, error.map { .unreadable($0) } ?? .damaged)
        }
    }

    private func state(
        of block: Int64, _ physical: UnsafeRawBufferPointer, in extent: Extent,
        verifies: (UnsafeRawBufferPointer) -> Bool
    ) -> BlockState {
        let seal = content.sealedPart(of: block, physical)
        if block > 0, seal.isAllZero { return allowsHole(at: block, in: extent) ? .good : .zeroed }
        let wanted = extent.endMark(of: block)
        if LostBlock.matches(seal, endMark: wanted) { return .lost }
        guard verifies(seal) else { return .damaged }
        if block == 0, !beginsWithHeader(physical) { return .otherHeader }
        if seal.endMark == wanted { return .good }
        let toldMore = seal.endMark == 0 || seal.endMark > wanted
        return block == extent.blockCount - 1 && toldMore ? .cutShort : .wrongEnd
    }

    private func beginsWithHeader(_ physical: UnsafeRawBufferPointer) -> Bool {
        content.headerBytes.span.withUnsafeBytes { header in
            guard let header = header.baseAddress, let physical = physical.baseAddress else {
                return false
            }
            return memcmp(header, physical, Layout.headerByteCount) == 0
        }
    }

    private func allowsHole(at block: Int64, in extent: Extent) -> Bool {
        content.isSparse && block < extent.blockCount - 1
    }

    /// The state of the last block.
    func stateOfEnd() -> BlockState {
        let extent = content.extent
        let last = extent.blockCount - 1
        var found = BlockState.good
        check(last..<last + 1, in: extent, withKey: true) { found = $1 }
        return found
    }
}

// MARK: Stepwise

extension BlockInspection {
    /// Checks a step from a physical offset on; returns the start of the next, or nil after the
    /// last.
    func check(
        at offset: Int64, withKey: Bool, _ problems: inout FileProblems
    ) -> Int64? {
        examineEnd(&problems)
        if content.cipher == nil || !withKey { problems.lackedKey = true }
        let extent = problems.unfinished ?? content.extent
        let size = Int64(Layout.blockByteCount)
        var first = offset / size
        guard first < extent.blockCount else { return nil }
        if first > 0 {
            // Skips holes: they read as zeros.
            let data = nextStored(in: content.descriptor, from: first * size).map { $0 / size }
            let end = min(data ?? extent.blockCount, extent.blockCount)
            if first < end {
                addHole(first..<end, in: extent, &problems)
                first = end
            }
        }
        let end = min(first + Self.stepBlockCount, extent.blockCount)
        guard first < end else { return nil }
        check(first..<end, in: extent, withKey: withKey) { problems.add($0...$0, $1) }
        return end < extent.blockCount ? end * size : nil
    }

    /// Repeated at each step: a program with the file open may change its size in between.
    private func examineEnd(_ problems: inout FileProblems) {
        guard problems.examined != content.extent else { return }
        problems.examined = content.extent
        // If this read fails, the check of the blocks reports it.
        problems.unfinished = try? UnfinishedTail.toldExtent(in: content.descriptor, content.extent)
    }

    private func addHole(
        _ blocks: Range<Int64>, in extent: Extent, _ problems: inout FileProblems
    ) {
        let last = blocks.upperBound - 1
        if !content.isSparse {
            problems.add(blocks.lowerBound...last, .zeroed)
        } else if !allowsHole(at: last, in: extent) {
            problems.add(last...last, .zeroed)
        }
    }
}

/// Reads blocks together, and one by one if that fails: one unreadable block must not hide the
/// others.
///
/// `visit` gets the block's bytes, or an error, or neither if the file ends before the block.
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

/// The next stored byte. If the file system cannot tell, everything is read, and errors show there.
func nextStored(in file: Descriptor, from offset: Int64) -> Int64? {
    do throws(Errno) { return try nextData(in: file, from: offset) } catch { return offset }
}
