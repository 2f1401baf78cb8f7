// The nonce and tag of a block, read without the payload.

internal import MAMFormat
internal import MAMModel
internal import MAMSystem

struct Seal {
    private var words: InlineArray<4, UInt64> = .init(repeating: 0)

    /// Nil if the file ends before the seal does.
    init?(of block: Int64, in file: Descriptor) throws(Errno) {
        let offset =
            block * Int64(Layout.blockByteCount) + (block == 0 ? Int64(Layout.headerByteCount) : 0)
        let result: Result<Int, Errno> = withUnsafeMutableBytes(of: &words) { buffer in
            do throws(Errno) {
                return .success(try readFully(file.raw, into: buffer, at: offset))
            } catch { return .failure(error) }
        }
        guard try result.get() == Layout.sealByteCount else { return nil }
    }

    /// A sealed block never has this, because its nonce is random.
    var isZero: Bool { words.span.indices.allSatisfy { words[$0] == 0 } }

    /// The last two bytes of the nonce.
    var endMark: UInt16 { UInt16(truncatingIfNeeded: UInt64(littleEndian: words[1]) >> 48) }
}
