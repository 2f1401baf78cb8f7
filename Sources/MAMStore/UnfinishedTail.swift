// The all-zero blocks that a crash leaves at the end of a file: its size was durable, and its data was not.

internal import Glibc
package import MAMFormat
package import MAMSystem

package enum UnfinishedTail {
    /// What the file is without its all-zero blocks at the end (docs/FORMAT.md, section 1.2). Nil if the last block is not
    /// zero, and where the block before gives no size. Needs no key.
    static func extentWithout(
        in file: Descriptor, _ extent: Extent
    ) throws(Errno) -> Extent? {
        guard extent.blockCount > 1, try isZero(extent.blockCount - 1, in: file) else { return nil }
        var count = try endOfData(in: file, before: extent.blockCount)
        while count > 1, try isZero(count - 1, in: file) { count -= 1 }
        return try self.extent(endingWith: max(count, 1) - 1, in: file)
    }

    /// Cuts the tail of a file that nobody has in use; true if there was one. It is durable when this returns.
    ///
    /// Only in a file without holes: there, nothing else explains zeros, and what was synced lies before them.
    package static func cut(
        _ file: Descriptor, of header: FileHeader
    ) throws(Errno) -> Bool {
        guard let sealing = header.sealing, !sealing.isSparse,
            let extent = Extent(physicalSize: Int64(try status(of: file.raw).st_size)),
            let whole = try extentWithout(in: file, extent)
        else { return false }
        try setSize(file.raw, whole.physicalSize)
        try synchronize(file.raw)
        return true
    }

    /// True if the last block of a managed file begins with zeros, which a sealed one does not: one small read.
    package static func isLikely(
        in file: Descriptor, of header: FileHeader, physicalSize: Int64
    ) throws(Errno) -> Bool {
        guard let sealing = header.sealing, !sealing.isSparse,
            let extent = Extent(physicalSize: physicalSize), extent.blockCount > 1
        else { return false }
        return try Seal(of: extent.blockCount - 1, in: file)?.isZero ?? false
    }

    /// The extent of a file whose last block is this one, by the block's own end mark.
    private static func extent(
        endingWith block: Int64, in file: Descriptor
    ) throws(Errno) -> Extent? {
        guard let seal = try Seal(of: block, in: file), !seal.isZero else { return nil }
        let capacity = Layout.capacity(ofBlock: block)
        let use = seal.endMark == 0 ? capacity : Int(seal.endMark) - 1
        guard use <= capacity else { return nil }
        return Extent(physicalSize: (block + 1) * Int64(Layout.blockByteCount) + Int64(use))
    }

    private static func isZero(_ block: Int64, in file: Descriptor) throws(Errno) -> Bool {
        let scratch = Scratch()
        let slot = UnsafeMutableRawBufferPointer(rebasing: scratch.run[..<Layout.blockByteCount])
        let count = try readFully(
            file.raw, into: slot, at: block * Int64(Layout.blockByteCount))
        return count == slot.count && UnsafeRawBufferPointer(slot).isAllZero
    }

    /// The number of blocks up to the end of what is stored: a large hole is not read.
    private static func endOfData(
        in file: Descriptor, before blockCount: Int64
    ) throws(Errno) -> Int64 {
        let size = Int64(Layout.blockByteCount)
        var end: Int64 = 0
        while end < blockCount * size, let start = try nextData(in: file, from: end) {
            end = try nextHole(in: file, from: start, before: blockCount * size)
        }
        return min(blockCount, (end + size - 1) / size)
    }
}
