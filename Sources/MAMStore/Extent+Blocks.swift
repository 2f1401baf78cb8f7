// What an extent implies for each block.

internal import MAMFormat

extension Extent {
    /// The payload bytes in use in a block; 0 past the end of the file.
    func use(of block: Int64) -> Int {
        let last = blockCount - 1
        return block < last
            ? Layout.capacity(ofBlock: block) : block == last ? lastBlockUse : 0
    }

    /// The end mark that a block must have.
    func endMark(of block: Int64) -> UInt16 {
        BlockSeal.endMark(isLast: block == blockCount - 1, use: lastBlockUse)
    }
}
