// Giving blocks up that do not verify, and keeping every other.

internal import MAMFormat
internal import MAMSystem

extension SealedContent {
    /// Marks each block of a run that does not verify as lost. True if there was one. What it
    /// writes over is durable in `copy` before, at the same offsets, behind the file's header.
    func markLost(
        _ blocks: Range<Int64>, keepingIn copy: Descriptor
    ) throws(StoreError) -> Bool {
        guard cipher != nil else { throw .keyUnavailable }
        var damaged: [Int64] = []
        check(blocks, in: extent, withKey: true) { block, state in
            if state == .damaged { damaged.append(block) }
        }
        guard !damaged.isEmpty else { return false }
        let size = try physicalSize(of: descriptor)
        // A file that was cut behind our back has no such block to write over.
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
        let header = headerBytes
        try system { () throws(Errno) in
            try header.span.withUnsafeBytes { bytes throws(Errno) in
                try writeFully(copy.raw, from: bytes, at: 0)
            }
            for block in blocks {
                let offset = block * Int64(Layout.blockByteCount)
                let count = try readFully(descriptor.raw, into: room, at: offset)
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
        LostBlock.encode(endMark: endMark(of: block, in: extent), into: bytes)
        try system { () throws(Errno) in
            try writeFully(
                descriptor.raw, from: UnsafeRawBufferPointer(bytes),
                at: block * Int64(Layout.blockByteCount) + Int64(header))
        }
    }
}
