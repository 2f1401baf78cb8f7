// Finds data and holes of a managed file, in units of whole pages.

internal import MAMFormat
internal import MAMModel
internal import MAMSystem

/// lseek(2) with `SEEK_DATA` or `SEEK_HOLE`. No change to the file may be in progress.
struct HoleSearch {
    let content: SealedContent

    private var extent: Extent { content.extent }

    func find(_ region: Region, from offset: Int64) throws(StoreError) -> Int64 {
        guard 0..<extent.plainSize ~= offset else { throw .system(.noSuchAddress) }
        // Without the flag the file has no holes, whatever the backing file looks like.
        guard content.isSparse else { return region == .data ? offset : extent.plainSize }
        return try region == .data ? data(from: offset) : hole(from: offset)
    }

    // Blocks hold 4064 bytes, but programs expect every boundary except the end of the file at a
    // multiple of 512 or more; GNU tar otherwise writes archives that it cannot read. So boundaries
    // are rounded to pages, and a page with one byte of data is data.

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

    /// The end of the file counts as a hole.
    private func exactHole(from offset: Int64) throws(StoreError) -> Int64 {
        guard let block = try holeBlock(from: Layout.block(at: offset)) else {
            return extent.plainSize
        }
        return max(offset, Layout.plainOffset(ofBlock: block))
    }

    private var lastBlock: Int64 { extent.blockCount - 1 }

    /// The first block that is not entirely a hole; the last block never is.
    private func dataBlock(from block: Int64) throws(StoreError) -> Int64 {
        guard block < lastBlock else { return lastBlock }
        do throws(Errno) {
            let found = try MAMSystem.find(
                .data, in: content.descriptor.raw, from: block * Int64(Layout.blockByteCount))
            return min(found / Int64(Layout.blockByteCount), lastBlock)
        } catch {
            // A hole up to the end swallowed the last block: the error must show when it is read.
            guard error == .noSuchAddress else { throw .system(error) }
            return lastBlock
        }
    }

    /// The first block that is entirely a hole; nil if there is none.
    private func holeBlock(from start: Int64) throws(StoreError) -> Int64? {
        let size = Int64(Layout.blockByteCount)
        var block = start
        while block < lastBlock {
            let found = try system { () throws(Errno) in
                try MAMSystem.find(.hole, in: content.descriptor.raw, from: block * size)
            }
            // The backing file system's blocks may be smaller, so a hole may begin or end inside
            // one of ours.
            let first = (found + size - 1) / size
            guard first < lastBlock else { return nil }
            if try dataBlock(from: first) > first { return first }
            block = first + 1
        }
        return nil
    }
}
