// What a crash leaves at the end of a file: a size that became durable before its data, or after
// it.

internal import Glibc
package import MAMFormat
package import MAMModel
package import MAMSystem

package enum UnfinishedTail {
    /// The extent that the blocks imply (docs/FORMAT.md, section 1.2), if it differs from the size:
    /// without all-zero blocks at the end, and as long as the last block's mark says. Needs no key.
    ///
    /// Nil if no block implies a size. A mark that says more blocks follow implies none: that block
    /// has to be sealed again.
    static func toldExtent(
        in file: Descriptor, _ extent: Extent
    ) throws(Errno) -> Extent? {
        let last = extent.blockCount - 1
        guard let seal = try Seal(of: last, in: file) else { return nil }
        if last > 0, seal.isZero { return try extentWithoutZeros(in: file, extent) }
        guard seal.endMark != 0, let told = try self.extent(endingWith: last, in: file) else {
            return nil
        }
        return told == extent ? nil : told
    }

    private static func extentWithoutZeros(
        in file: Descriptor, _ extent: Extent
    ) throws(Errno) -> Extent? {
        guard try isZero(extent.blockCount - 1, in: file) else { return nil }
        var count = try endOfData(in: file, before: extent.blockCount)
        while count > 1, try isZero(count - 1, in: file) { count -= 1 }
        return try self.extent(endingWith: max(count, 1) - 1, in: file)
    }

    /// Sets the size that the blocks imply for a file that is not in use; true if it was different.
    /// The change is durable on return.
    ///
    /// `believesMark`: whether the last block is known to verify. If not, only zeros are removed: a
    /// corrupted mark would hide the end of the file.
    package static func mend(
        _ file: Descriptor, of header: FileHeader, believesMark: Bool
    ) throws(Errno) -> Bool {
        guard header.isManaged,
            let extent = Extent(physicalSize: Int64(try status(of: file.raw).st_size)),
            let told = try toldExtent(in: file, extent),
            believesMark || told.blockCount < extent.blockCount
        else { return false }
        try setSize(file.raw, told.physicalSize)
        try synchronize(file.raw)
        return true
    }

    /// True if the last block's mark contradicts the size, as zeros do: one small read.
    package static func isLikely(
        in file: Descriptor, of header: FileHeader, physicalSize: Int64
    ) throws(Errno) -> Bool {
        guard header.isManaged, let extent = Extent(physicalSize: physicalSize),
            let seal = try Seal(of: extent.blockCount - 1, in: file)
        else { return false }
        return seal.endMark != BlockSeal.endMark(isLast: true, use: extent.lastBlockUse)
    }

    /// The extent of a file whose last block is this one, by that block's end mark.
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

    /// The number of blocks up to the end of stored data, so that a large hole is not read.
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
