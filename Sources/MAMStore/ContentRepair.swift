// Repairs the blocks of a managed file that can be repaired, and marks the others as lost.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel
internal import MAMSystem

/// The caller holds the file's lock exclusively.
struct ContentRepair {
    let content: SealedContent

    private var inspection: BlockInspection { BlockInspection(content: content) }

    /// Sets the size that the last block implies. True if it was different.
    func takeToldSize() throws(StoreError) -> Bool {
        let isOther = try system { () throws(Errno) in
            try UnfinishedTail.mend(content.descriptor, of: content.header, believesMark: true)
        }
        if isOther, let extent = Extent(physicalSize: try physicalSize(of: content.descriptor)) {
            content.extent = extent
        }
        return isOther
    }

    func mendEnd(mayCut: Bool) throws(StoreError) -> StoredFileRepair.MendedEnd? {
        guard content.cipher != nil else { throw .keyUnavailable }
        let last = content.extent.blockCount - 1
        switch inspection.stateOfEnd() {
        case .wrongEnd:
            guard mayCut else { return nil }
            return try takeToldSize() ? .cut : nil
        case .cutShort:
            try content.writeRun(last...last, .none(at: 0), becoming: content.extent)
            return .sealed
        case .good, .otherHeader, .damaged, .lost, .zeroed: return nil
        case .unreadable(let error): throw .system(error)
        }
    }

    /// Seals zero blocks and blocks with a wrong end mark again; zeros stay zeros. True if there
    /// were any.
    func mend(_ blocks: Range<Int64>) throws(StoreError) -> Bool {
        guard content.cipher != nil else { throw .keyUnavailable }
        var zeroed: [Int64] = []
        var misplaced: [Int64] = []
        inspection.check(blocks, in: content.extent, withKey: true) { block, state in
            switch state {
            case .zeroed: zeroed.append(block)
            case .wrongEnd, .cutShort, .otherHeader: misplaced.append(block)
            case .good, .damaged, .lost, .unreadable: break
            }
        }
        for block in zeroed {
            let bytes = UnsafeRawBufferPointer(
                rebasing: zeros.bytes[..<content.extent.use(of: block)])
            let patch = Patch(offset: Layout.plainOffset(ofBlock: block), bytes: bytes)
            try content.writeRun(block...block, patch, becoming: content.extent)
        }
        for block in misplaced {
            try content.writeRun(block...block, .none(at: 0), becoming: content.extent)
        }
        return !zeroed.isEmpty || !misplaced.isEmpty
    }

    /// Marks each block of a run that does not verify as lost. True if there was one. First makes
    /// the old bytes durable in `copy`, at the same offsets behind the file's header.
    func markLost(
        _ blocks: Range<Int64>, keepingIn copy: Descriptor
    ) throws(StoreError) -> Bool {
        guard content.cipher != nil else { throw .keyUnavailable }
        var damaged: [Int64] = []
        inspection.check(blocks, in: content.extent, withKey: true) { block, state in
            if state == .damaged { damaged.append(block) }
        }
        guard !damaged.isEmpty else { return false }
        let size = try physicalSize(of: content.descriptor)
        // If another program truncated the backing file, there is no block to overwrite.
        guard damaged.allSatisfy({ ($0 + 1) * Int64(Layout.blockByteCount) <= size }) else {
            throw .system(.staleHandle)
        }
        try keep(damaged, in: copy, size: size)
        for block in damaged { try writeLostBlock(block) }
        return true
    }

    private func keep(
        _ blocks: [Int64], in copy: Descriptor, size: Int64
    ) throws(StoreError) {
        let scratch = Scratch()
        let room = UnsafeMutableRawBufferPointer(rebasing: scratch.run[..<Layout.blockByteCount])
        let header = content.headerBytes
        try system { () throws(Errno) in
            try header.span.withUnsafeBytes { bytes throws(Errno) in
                try writeFully(copy.raw, from: bytes, at: 0)
            }
            for block in blocks {
                let offset = block * Int64(Layout.blockByteCount)
                let count = try readFully(content.descriptor.raw, into: room, at: offset)
                try writeFully(
                    copy.raw, from: UnsafeRawBufferPointer(rebasing: room[..<count]), at: offset)
            }
            try setSize(copy.raw, size)
            try MAMSystem.synchronize(copy.raw)
        }
    }

    private func writeLostBlock(_ block: Int64) throws(StoreError) {
        let scratch = Scratch()
        let header = block == 0 ? Layout.headerByteCount : 0
        let bytes = UnsafeMutableRawBufferPointer(rebasing: scratch.aside[header...])
        LostBlock.encode(endMark: content.extent.endMark(of: block), into: bytes)
        try system { () throws(Errno) in
            try writeFully(
                content.descriptor.raw, from: UnsafeRawBufferPointer(bytes),
                at: block * Int64(Layout.blockByteCount) + Int64(header))
        }
    }
}
