// Reusable page-aligned memory for one request's blocks.

internal import Glibc
internal import MAMFormat
internal import MAMModel
internal import MAMSystem

/// One request's working memory: a run of blocks as on disk, their nonces, and one extra payload.
struct Scratch: ~Copyable {
    /// Enough for a 1 MiB request that starts and ends inside blocks, plus the old last block
    /// before it.
    static let blockCapacity = 264

    private static let runByteCount = blockCapacity * Layout.blockByteCount
    private static let nonceByteCount = blockCapacity * BlockSeal.nonceByteCount
    private static let byteCount =
        runByteCount + (nonceByteCount + 4095) / 4096 * 4096 + Layout.blockByteCount

    private let base: UnsafeMutableRawPointer

    /// Ciphertext as it is on disk.
    var run: UnsafeMutableRawBufferPointer { .init(start: base, count: Self.runByteCount) }
    /// Room for a nonce per block.
    var nonces: UnsafeMutableRawBufferPointer {
        .init(start: base + Self.runByteCount, count: Self.nonceByteCount)
    }
    /// One payload, for blocks that a request covers partly.
    var aside: UnsafeMutableRawBufferPointer {
        .init(start: base + Self.byteCount - Layout.blockByteCount, count: Layout.blockByteCount)
    }

    init() { base = Self.pool.take() }

    deinit {
        // It may contain plaintext, which must not outlive the request.
        if let base = aside.baseAddress { explicit_bzero(base, aside.count) }
        Self.pool.giveBack(base)
    }

    private static let pool = BufferPool(byteCount: byteCount)
}

extension UnsafeMutableRawBufferPointer {
    /// Sets every byte to zero.
    func zero() { initializeMemory(as: UInt8.self, repeating: 0) }
}
