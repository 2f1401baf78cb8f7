// Offsets of plain bytes in a managed file: pure arithmetic, overflow-checked where sizes are
// untrusted.

/// The geometry of docs/FORMAT.md, section 1.2.
package enum Layout {
    package static let headerByteCount = 1024
    package static let blockByteCount = 4096
    /// Nonce and tag before each payload.
    package static let sealByteCount = 32
    package static let firstPayloadByteCount = 3040
    package static let payloadByteCount = 4064
    /// Files with a larger `st_size` are rejected, so that no offset can overflow: 2^62 bytes.
    package static let maximumPhysicalSize: Int64 = 1 << 62
    /// The largest plain size, just below the limit: 2^50 - 1 full blocks.
    @inlinable
    package static var maximumPlainSize: Int64 {
        plainOffset(ofBlock: maximumPhysicalSize / Int64(blockByteCount) - 1)
    }

    /// Payload bytes of a block.
    @inlinable
    package static func capacity(ofBlock index: Int64) -> Int {
        index == 0 ? firstPayloadByteCount : payloadByteCount
    }

    /// The block that holds a plain offset.
    @inlinable
    package static func block(at offset: Int64) -> Int64 {
        offset < Int64(firstPayloadByteCount)
            ? 0 : 1 + (offset - Int64(firstPayloadByteCount)) / Int64(payloadByteCount)
    }

    /// The plain offset of a block's first payload byte.
    @inlinable
    package static func plainOffset(ofBlock index: Int64) -> Int64 {
        index == 0 ? 0 : Int64(firstPayloadByteCount) + (index - 1) * Int64(payloadByteCount)
    }

    /// The number of blocks in a file of this plain size: at least one.
    @inlinable
    package static func blockCount(plainSize: Int64) -> Int64 {
        plainSize <= Int64(firstPayloadByteCount) ? 1 : 1 + block(at: plainSize - 1)
    }

    /// Payload bytes used in the last block.
    @inlinable
    package static func lastBlockUse(plainSize: Int64) -> Int {
        Int(plainSize - plainOffset(ofBlock: blockCount(plainSize: plainSize) - 1))
    }
}

/// The extent that an `st_size` implies.
package struct Extent: Sendable, Equatable {
    /// Blocks of 4096 bytes: at least one.
    package let blockCount: Int64
    /// Payload bytes used in the last block; 0 with several blocks only after a crash.
    package let lastBlockUse: Int

    /// Nil if no managed file has this physical size.
    package init?(physicalSize: Int64) {
        let count = physicalSize / Int64(Layout.blockByteCount)
        let use = Int(physicalSize % Int64(Layout.blockByteCount))
        guard count >= 1, use <= Layout.capacity(ofBlock: count - 1),
            physicalSize <= Layout.maximumPhysicalSize
        else { return nil }
        blockCount = count
        lastBlockUse = use
    }

    package init(blockCount: Int64, lastBlockUse: Int) {
        self.blockCount = blockCount
        self.lastBlockUse = lastBlockUse
    }

    package init(plainSize: Int64) {
        blockCount = Layout.blockCount(plainSize: plainSize)
        lastBlockUse = Layout.lastBlockUse(plainSize: plainSize)
    }

    /// The `st_size` of this extent.
    package var physicalSize: Int64 {
        blockCount * Int64(Layout.blockByteCount) + Int64(lastBlockUse)
    }

    package var plainSize: Int64 {
        Layout.plainOffset(ofBlock: blockCount - 1) + Int64(lastBlockUse)
    }
}
