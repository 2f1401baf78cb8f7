// What a file's extent says of each of its blocks.

internal import MAMFormat

extension Extent {
    /// Payload bytes that count in a block; 0 past the end of the file.
    func use(of block: Int64) -> Int {
        let last = blockCount - 1
        return block < last
            ? Layout.capacity(ofBlock: block) : block == last ? lastBlockUse : 0
    }

    /// What the end mark of a block must be.
    func endMark(of block: Int64) -> UInt16 {
        BlockSeal.endMark(isLast: block == blockCount - 1, use: lastBlockUse)
    }
}
