// A block's nonce, which carries the end mark, and its associated data.

package import MAMModel

/// The seal of docs/FORMAT.md, section 1.2.
package enum BlockSeal {
    package static let nonceByteCount = 16
    /// Random bytes at the start of a nonce; the end mark follows.
    package static let randomByteCount = 14
    package static let tagByteCount = 16
    package static let associatedByteCount = 32

    /// The last two bytes of a block's nonce: 0, or in the last block 1 + the payload bytes in use.
    @inlinable
    package static func endMark(isLast: Bool, use: Int) -> UInt16 {
        isLast ? UInt16(1 + use) : 0
    }

    /// File id 16 | block index 8 | version 2 | zero 6.
    @inlinable
    package static func writeAssociatedData(
        file: FileID, block: Int64, to bytes: inout MutableRawSpan
    ) {
        file.bytes.write(to: &bytes, at: 0)
        bytes.storeBytes(of: UInt64(block).littleEndian, toByteOffset: 16, as: UInt64.self)
        bytes.storeBytes(
            of: UInt64(FileHeader.version).littleEndian, toByteOffset: 24, as: UInt64.self)
    }
}
