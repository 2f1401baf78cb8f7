// Giving blocks up that do not verify, and keeping every other.

internal import MAMFormat
internal import MAMSystem

extension SealedContent {
    /// Marks each block of a run that does not verify as lost. True if there was one.
    func markLost(_ blocks: Range<Int64>) throws(StoreError) -> Bool {
        guard cipher != nil else { throw .keyUnavailable }
        var damaged: [Int64] = []
        check(blocks, in: extent, withKey: true) { block, state in
            if state == .damaged { damaged.append(block) }
        }
        for block in damaged { try writeLostBlock(block) }
        return !damaged.isEmpty
    }

    private func writeLostBlock(_ block: Int64) throws(StoreError) {
        let scratch = Scratch()
        let header = block == 0 ? Layout.headerByteCount : 0
        let bytes = UnsafeMutableRawBufferPointer(rebasing: scratch.aside[header...])
        LostBlock.encode(endMark: endMark(of: block, in: extent), into: bytes)
        let end = (block + 1) * Int64(Layout.blockByteCount)
        // A file that was cut behind our back has no such block to write over.
        guard try physicalSize(of: descriptor) >= end else { throw .system(.staleHandle) }
        try system { () throws(Errno) in
            try writeFully(
                descriptor.raw, from: UnsafeRawBufferPointer(bytes), at: end - Int64(bytes.count))
        }
    }
}
