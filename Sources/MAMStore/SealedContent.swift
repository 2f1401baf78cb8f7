// The blocks of one managed file. Guarded by StoredFile's lock and its block traffic.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel
internal import MAMSystem
internal import Synchronization

/// What to do with a block that opens but whose end mark contradicts the size.
package enum EndMarkRule: Sendable {
    /// Show its content: it is authentic, and a crash explains the mark.
    case accept
    /// Refuse it: the file may have been truncated.
    case refuse
    /// Refuse it, except as the last block: that does not verify, so the file may end earlier.
    case refuseInside
}

/// The first 1024 bytes of a file.
typealias HeaderBytes = InlineArray<1024, UInt8>

/// A managed file's geometry, its key, and the only code that reads its blocks.
///
/// A class, so that a request copies one reference and not the header's strings.
final class SealedContent {
    var descriptor: Descriptor
    var header: FileHeader
    /// The 1024 bytes of the header on disk, with the wrapped key, for rewriting block 0.
    var headerBytes: HeaderBytes
    /// ``Extent/physicalSize``: both numbers in one word, for readers while another thread grows
    /// the file.
    private let size: Atomic<Int64>
    /// Nil while the window is closed.
    var cipher: BlockCipher?
    /// The last block still has the end mark of the old size, or is missing: see Unfinished.swift.
    var isUnsealed = false
    /// The sparse flag is set but may not be durable, so no hole may be punched yet.
    var needsSparseSync = false
    /// A failed sync within a change, until StoredFile records it.
    var syncFailure: Errno?
    var endMarkRule: EndMarkRule
    /// The last block was opened, and its mark matches the file's size.
    var isEndProved: Bool

    init(
        descriptor: Descriptor, header: FileHeader, headerBytes: HeaderBytes, extent: Extent,
        cipher: BlockCipher?, endMarkRule: EndMarkRule
    ) {
        self.descriptor = descriptor
        self.header = header
        self.headerBytes = headerBytes
        size = Atomic(extent.physicalSize)
        self.cipher = cipher
        self.endMarkRule = endMarkRule
        isEndProved = cipher != nil
    }

    /// Changed by the holder of the last block's lock. Never shrinks while the lock is shared.
    var extent: Extent {
        get {
            let size = size.load(ordering: .acquiring)
            let block = Int64(Layout.blockByteCount)
            return Extent(blockCount: size / block, lastBlockUse: Int(size % block))
        }
        set { size.store(newValue.physicalSize, ordering: .releasing) }
    }

    var isSparse: Bool { header.sealing?.isSparse ?? false }

    /// Reads plain bytes; fewer than requested only at the end of the file.
    func read(
        into out: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StoreError) -> Int {
        guard let cipher else { throw .keyUnavailable }
        guard offset >= 0 else { throw .system(.invalid) }
        // Read once: another thread may grow the file meanwhile, beyond the blocks that are read
        // here.
        let extent = extent
        let end = max(
            offset,
            min(offset.addingReportingOverflow(Int64(out.count)).partialValue, extent.plainSize))
        var first = Layout.block(at: offset)
        var last = offset < end ? Layout.block(at: end - 1) : first - 1
        if endMarkRule == .refuse, end >= extent.plainSize {
            // The strict reader also checks a last block with no bytes in use: a truncation shows
            // there.
            last = extent.blockCount - 1
            first = min(first, last)
        }
        guard first <= last else { return 0 }
        let scratch = Scratch()
        while first <= last {
            let count = Int(min(last - first + 1, Int64(Scratch.blockCapacity)))
            let run = UnsafeMutableRawBufferPointer(
                rebasing: scratch.run[..<(count * Layout.blockByteCount)])
            try readRun(run, from: first)
            try cipher.withSession { session throws(StoreError) in
                for index in 0..<count {
                    try openBlock(
                        first + Int64(index), of: extent, in: run, at: index,
                        wanted: offset..<end, into: out, aside: scratch.aside, with: session)
                }
            }
            first += Int64(count)
        }
        return Int(end - offset)
    }

    /// Reads whole blocks as stored.
    func readRun(
        _ run: UnsafeMutableRawBufferPointer, from first: Int64
    ) throws(StoreError) {
        let done = try system { () throws(Errno) in
            try readFully(descriptor.raw, into: run, at: first * Int64(Layout.blockByteCount))
        }
        guard done == run.count else {
            throw .damaged(block: first + Int64(done / Layout.blockByteCount))
        }
    }

    /// Opens one block of a run and copies the requested part to the caller.
    private func openBlock(
        _ block: Int64, of extent: Extent, in run: UnsafeMutableRawBufferPointer,
        at index: Int, wanted: Range<Int64>, into out: UnsafeMutableRawBufferPointer,
        aside: UnsafeMutableRawBufferPointer, with session: borrowing BlockCipher.Session
    ) throws(StoreError) {
        let physical = UnsafeRawBufferPointer(
            rebasing: run[(index * Layout.blockByteCount)..<((index + 1) * Layout.blockByteCount)])
        let start = Layout.plainOffset(ofBlock: block)
        let capacity = Int64(Layout.capacity(ofBlock: block))
        let part = wanted.clamped(to: start..<start + capacity)
        guard !part.isEmpty else {
            return try open(block, of: extent, physical, into: aside, with: session)
        }
        let target = UnsafeMutableRawBufferPointer(
            rebasing: out[
                Int(part.lowerBound - wanted.lowerBound)..<Int(part.upperBound - wanted.lowerBound)]
        )
        if part.count == Int(capacity) {
            return try open(block, of: extent, physical, into: target, with: session)
        }
        try open(block, of: extent, physical, into: aside, with: session)
        target.copyMemory(
            from: UnsafeRawBufferPointer(
                rebasing: aside[Int(part.lowerBound - start)..<Int(part.upperBound - start)]))
    }

    /// Opens one block of 4096 bytes into a whole payload.
    func open(
        _ block: Int64, of extent: Extent, _ physical: UnsafeRawBufferPointer,
        into payload: UnsafeMutableRawBufferPointer, with session: borrowing BlockCipher.Session
    ) throws(StoreError) {
        let capacity = Layout.capacity(ofBlock: block)
        let seal = sealedPart(of: block, physical)
        if block > 0, seal.isAllZero {
            guard isSparse, block < extent.blockCount - 1 else { throw .damaged(block: block) }
            UnsafeMutableRawBufferPointer(rebasing: payload[..<capacity]).zero()
            return
        }
        guard verifies(block, seal, into: payload, with: session) else {
            throw .damaged(block: block)
        }
        guard accepts(seal.endMark, of: block, in: extent) else { throw .wrongEnd(block: block) }
    }

    private func accepts(_ mark: UInt16, of block: Int64, in extent: Extent) -> Bool {
        switch endMarkRule {
        case .accept: true
        case .refuse: mark == extent.endMark(of: block)
        case .refuseInside: mark == 0 || block == extent.blockCount - 1
        }
    }

    /// A block from its nonce on.
    func sealedPart(
        of block: Int64, _ physical: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        .init(rebasing: physical[(block == 0 ? Layout.headerByteCount : 0)...])
    }

    /// Opens a payload; false if it does not verify.
    func verifies(
        _ block: Int64, _ seal: UnsafeRawBufferPointer,
        into payload: UnsafeMutableRawBufferPointer, with session: borrowing BlockCipher.Session
    ) -> Bool {
        var associated = AssociatedData(file: header.fileID, block: block)
        return associated.withBytes { data in
            session.tryOpen(
                UnsafeRawBufferPointer(rebasing: seal[Layout.sealByteCount...]), seal: seal,
                associatedData: data, into: payload)
        }
    }

    func proveEnd(mayBeUnfinished: (FileHeader) -> Bool) throws(StoreError) {
        // If the end could not be sealed yet, it still has the old mark.
        guard cipher != nil, !isEndProved, !isUnsealed else { return }
        let last = extent.blockCount - 1
        switch BlockInspection(content: self).stateOfEnd() {
        case .good: isEndProved = true
        case .wrongEnd, .cutShort: throw .wrongEnd(block: last)
        case .otherHeader: throw .damaged(block: last)
        case .damaged where !mayBeUnfinished(header), .zeroed where !mayBeUnfinished(header):
            throw .damaged(block: last)
        case .damaged, .zeroed, .lost, .unreadable:
            guard extent.lastBlockUse > 0 else { throw .damaged(block: last) }
            endMarkRule = .refuseInside
        }
    }

    var endLooksRight: Bool {
        let last = extent.blockCount - 1
        // An unreadable block counts as wrong.
        guard let seal = try? Seal(of: last, in: descriptor) else { return false }
        return seal.endMark == extent.endMark(of: last)
    }
}

/// 32 bytes on the stack: file id, block index, version.
struct AssociatedData {
    private var bytes: InlineArray<4, UInt64> = .init(repeating: 0)

    init(file: FileID, block: Int64) {
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        BlockSeal.writeAssociatedData(file: file, block: block, to: &raw)
    }

    mutating func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: &bytes, body)
    }
}

extension BlockCipher.Session {
    /// Opens a payload whose nonce and tag are at the start of `seal`; false if it does not verify.
    func tryOpen(
        _ ciphertext: UnsafeRawBufferPointer, seal: UnsafeRawBufferPointer,
        associatedData: UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let seal = seal.baseAddress, let plain = plain.baseAddress else { return false }
        do throws(SealError) {
            try open(
                ciphertext, nonce: seal, associatedData: associatedData,
                tag: seal + BlockSeal.nonceByteCount, into: plain)
            return true
        } catch { return false }
    }
}

extension UnsafeRawBufferPointer {
    /// For a whole number of words. Fast for a real block, which differs in its first word.
    var isAllZero: Bool {
        var offset = 0
        while offset < count {
            if load(fromByteOffset: offset, as: UInt64.self) != 0 { return false }
            offset += 8
        }
        return true
    }

    /// The end mark of a block that begins at its nonce.
    var endMark: UInt16 {
        UInt16(
            littleEndian: loadUnaligned(
                fromByteOffset: BlockSeal.randomByteCount, as: UInt16.self))
    }
}
