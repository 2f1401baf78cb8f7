// Blocks to be written, some of them sealed in advance.

internal import MAMCrypto
internal import MAMFormat

/// Space for a run of blocks in their stored form, with a fresh nonce for each.
///
/// Each nonce seals one block once, so every attempt makes a new run.
struct SealedRun: ~Copyable {
    let scratch = Scratch()
    private let room: ClosedRange<Int64>
    /// The blocks that are already sealed.
    var ahead: Range<Int64>

    /// A run of at most ``Scratch/blockCapacity`` blocks.
    init(_ room: ClosedRange<Int64>) {
        self.room = room
        ahead = room.lowerBound..<room.lowerBound
        SecureRandom.fillNonces(
            .init(rebasing: scratch.nonces[..<(room.count * BlockSeal.nonceByteCount)]))
    }

    /// For a patch, with space for the block before it: if that was the last one, its end mark
    /// changes.
    init(for patch: Patch) {
        self.init(max(0, patch.blocks.lowerBound - 1)...patch.blocks.upperBound)
    }

    /// True if one run has space for it: the size of a kernel request.
    static func fits(_ byteCount: Int, at offset: Int64) -> Bool {
        1...maximumByteCount ~= byteCount
            && 0...Layout.maximumPlainSize - Int64(byteCount) ~= offset
    }

    private static let maximumByteCount = 1 << 20

    func slot(of block: Int64) -> UnsafeMutableRawBufferPointer {
        slots(of: block...block)
    }

    func slots(of blocks: ClosedRange<Int64>) -> UnsafeMutableRawBufferPointer {
        let start = index(of: blocks.lowerBound) * Layout.blockByteCount
        let end = start + blocks.count * Layout.blockByteCount
        return .init(rebasing: scratch.run[start..<end])
    }

    func nonce(of block: Int64) -> UnsafeMutableRawPointer? {
        scratch.nonces.baseAddress.map { $0 + index(of: block) * BlockSeal.nonceByteCount }
    }

    private func index(of block: Int64) -> Int { Int(block - room.lowerBound) }
}
