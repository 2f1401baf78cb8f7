// What is to be written, and which blocks it is in.

internal import MAMFormat

/// Plain bytes for a place in the file. May be empty: blocks are then sealed again as they are.
struct Patch {
    let offset: Int64
    let bytes: UnsafeRawBufferPointer

    static func none(at offset: Int64) -> Patch {
        Patch(offset: offset, bytes: .init(start: nil, count: 0))
    }

    var range: Range<Int64> { offset..<offset + Int64(bytes.count) }

    /// The blocks that it is in; it must not be empty.
    var blocks: ClosedRange<Int64> {
        Layout.block(at: offset)...Layout.block(at: range.upperBound - 1)
    }

    /// The blocks that it covers whole, but for its last one: that may be the file's last, of which
    /// the mark is not known before its turn.
    var interior: Range<Int64> {
        let coversFirst = offset == Layout.plainOffset(ofBlock: blocks.lowerBound)
        let first = coversFirst ? blocks.lowerBound : blocks.lowerBound + 1
        return first..<max(first, blocks.upperBound)
    }

    /// The bytes for a part of the range.
    func bytes(for part: Range<Int64>) -> UnsafeRawBufferPointer {
        .init(rebasing: bytes[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)])
    }
}
