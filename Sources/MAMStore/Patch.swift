// The bytes of a write and the blocks they touch.

internal import MAMFormat

/// Plain bytes for an offset. May be empty: blocks are then sealed again unchanged.
struct Patch {
    let offset: Int64
    let bytes: UnsafeRawBufferPointer

    static func none(at offset: Int64) -> Patch {
        Patch(offset: offset, bytes: .init(start: nil, count: 0))
    }

    var range: Range<Int64> { offset..<offset + Int64(bytes.count) }

    /// The blocks that it touches; the patch must not be empty.
    var blocks: ClosedRange<Int64> {
        Layout.block(at: offset)...Layout.block(at: range.upperBound - 1)
    }

    /// The blocks that it covers entirely, except its last: that may become the file's last, whose
    /// mark is unknown until the write enters.
    var interior: Range<Int64> {
        let coversFirst = offset == Layout.plainOffset(ofBlock: blocks.lowerBound)
        let first = coversFirst ? blocks.lowerBound : blocks.lowerBound + 1
        return first..<max(first, blocks.upperBound)
    }

    /// The bytes for part of the range.
    func bytes(for part: Range<Int64>) -> UnsafeRawBufferPointer {
        .init(rebasing: bytes[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)])
    }
}
