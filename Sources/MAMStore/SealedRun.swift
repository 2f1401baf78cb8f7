// Blocks on their way to the disk, some of them sealed before it is their turn.

internal import MAMCrypto
internal import MAMFormat

/// Room for a run of blocks as they will be on disk, with a fresh nonce for each.
///
/// Each nonce seals one block, once: a run is made anew for every attempt.
struct SealedRun: ~Copyable {
    let scratch = Scratch()
    private let room: ClosedRange<Int64>
    /// The blocks that are sealed already.
    var ahead: Range<Int64>

    /// A run of at most ``Scratch/blockCapacity`` blocks.
    init(_ room: ClosedRange<Int64>) {
        self.room = room
        ahead = room.lowerBound..<room.lowerBound
        SecureRandom.fill(
            .init(rebasing: scratch.nonces[..<(room.count * BlockSeal.nonceByteCount)]))
    }

    /// For a patch, with room for the block before it: where that was the last one its end mark
    /// changes.
    init(for patch: Patch) {
        self.init(max(0, patch.blocks.lowerBound - 1)...patch.blocks.upperBound)
    }

    /// True for what one run has room for: a request of the kernel's.
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
