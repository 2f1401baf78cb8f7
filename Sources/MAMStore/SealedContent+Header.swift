// Rewriting headers of managed files.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel
internal import MAMSystem

extension SealedContent {
    /// Accepts all-zero blocks as holes from now on.
    ///
    /// Synced before any hole is punched: a durable hole without the flag would count as damage.
    /// Happens once in a file's life.
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

    /// Wraps the file key again for the changed header; the content stays. One write of block 0.
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
        headerBytes = HeaderBytes { head[$0] }
    }
}

/// A payload of zeros.
let zeros = ZeroBytes(count: Layout.payloadByteCount)

final class ZeroBytes: @unchecked Sendable {
    // Immutable after `init`.
    let bytes: UnsafeRawBufferPointer
    var count: Int { bytes.count }

    init(count: Int) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        bytes = UnsafeRawBufferPointer(memory)
    }
}
