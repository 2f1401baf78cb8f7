// Where data and holes of a managed file are: its blocks, told in whole pages.

internal import MAMFormat
internal import MAMSystem

/// As lseek(2) asks. The caller is beside nobody who changes the file.
struct HoleSearch {
    let content: SealedContent

    private var extent: Extent { content.extent }

    func find(_ region: Region, from offset: Int64) throws(StoreError) -> Int64 {
        guard 0..<extent.plainSize ~= offset else { throw .system(.noSuchAddress) }
        // Without the flag there are no holes, whatever the backing file looks like.
        guard content.isSparse else { return region == .data ? offset : extent.plainSize }
        return try region == .data ? data(from: offset) : hole(from: offset)
    }

    // Our blocks hold 4064 bytes, and programs take all edges but the end of the file for multiples
    // of 512 at least: GNU tar writes archives that cannot be read otherwise. So what is told are
    // whole pages: one with a byte of data is data.

    private static var pageByteCount: Int64 { 4096 }

    private func page(at offset: Int64) -> Int64 { offset - offset % Self.pageByteCount }

    private func data(from offset: Int64) throws(StoreError) -> Int64 {
        max(offset, page(at: try exactData(from: page(at: offset))))
    }

    private func hole(from offset: Int64) throws(StoreError) -> Int64 {
        var place = page(at: offset)
        while place < extent.plainSize {
            let data = try exactData(from: place)
            if page(at: data) > place { return max(offset, place) }
            place = page(at: try exactHole(from: data) + Self.pageByteCount - 1)
        }
        return extent.plainSize
    }

    private func exactData(from offset: Int64) throws(StoreError) -> Int64 {
        let block = try dataBlock(from: Layout.block(at: offset))
        return max(offset, Layout.plainOffset(ofBlock: block))
    }

    /// The end of the file is a hole.
    private func exactHole(from offset: Int64) throws(StoreError) -> Int64 {
        guard let block = try holeBlock(from: Layout.block(at: offset)) else {
            return extent.plainSize
        }
        return max(offset, Layout.plainOffset(ofBlock: block))
    }

    private var lastBlock: Int64 { extent.blockCount - 1 }

    /// The first block that is not all hole; the last one never is.
    private func dataBlock(from block: Int64) throws(StoreError) -> Int64 {
        guard block < lastBlock else { return lastBlock }
        do throws(Errno) {
            let found = try MAMSystem.find(
                .data, in: content.descriptor.raw, from: block * Int64(Layout.blockByteCount))
            return min(found / Int64(Layout.blockByteCount), lastBlock)
        } catch {
            // A hole up to the end, in which the last block was lost: whoever reads it is to hear
            // of that.
            guard error == .noSuchAddress else { throw .system(error) }
            return lastBlock
        }
    }

    /// The first block that is all hole; nil if there is none.
    private func holeBlock(from start: Int64) throws(StoreError) -> Int64? {
        let size = Int64(Layout.blockByteCount)
        var block = start
        while block < lastBlock {
            let found = try system { () throws(Errno) in
                try MAMSystem.find(.hole, in: content.descriptor.raw, from: block * size)
            }
            // The backing file's own blocks may be smaller, and a hole may begin or end inside one
            // of ours.
            let first = (found + size - 1) / size
            guard first < lastBlock else { return nil }
            if try dataBlock(from: first) > first { return first }
            block = first + 1
        }
        return nil
    }
}
