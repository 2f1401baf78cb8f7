// Assembles one block of a run from old and new bytes.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel
internal import MAMSystem

extension SealedContent {
    /// Seals one physical block.
    func sealBlock(
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
        let mark = new.endMark(of: block)
        random?.storeBytes(
            of: mark.littleEndian, toByteOffset: BlockSeal.randomByteCount, as: UInt16.self)
        try seal(payload, as: block, nonce: random, into: slot, with: session)
    }

    /// Reads the blocks of a run that keep some old bytes; adjacent ones together, because each
    /// kernel page spans two blocks.
    func readOld(
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

    /// How many of a block's old bytes are still needed, from its start.
    private func keepsOld(
        of block: Int64, covered: Range<Int64>, _ new: Extent
    ) -> Int {
        let kept = min(extent.use(of: block), new.use(of: block))
        let start = Layout.plainOffset(ofBlock: block)
        // A damaged block whose bytes are all rewritten is not read: so a write can repair it.
        let isCovered = covered.lowerBound <= start && covered.upperBound >= start + Int64(kept)
        return isCovered ? 0 : kept
    }

    /// A block's old payload, zeroed beyond its old use and beyond its new one.
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

    /// Puts nonce, tag and ciphertext in place; before block 0 also the header.
    private func seal(
        _ payload: UnsafeRawBufferPointer, as block: Int64, nonce: UnsafeMutableRawPointer?,
        into slot: UnsafeMutableRawBufferPointer, with session: borrowing BlockCipher.Session
    ) throws(StoreError) {
        guard let base = slot.baseAddress, let nonce else { throw .cipherFailure }
        if block == 0 { headerBytes.span.withUnsafeBytes { slot.copyMemory(from: $0) } }
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
