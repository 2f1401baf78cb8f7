// What a repair writes over a block that does not verify (docs/FORMAT.md, section 1.2).

/// A block without content, from its nonce on: the mark (8 bytes), 6 zeros, `end` (2, as in a
/// nonce), then zeros. It does not open, as the block before it did not, but a check recognises it.
package enum LostBlock {
    /// `\x89MAML\r\n\x1a`.
    private static let mark: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x4C, 0x0D, 0x0A, 0x1A]
    private static let endOffset = 14

    /// Fills `bytes`, which begin at the block's nonce.
    package static func encode(endMark: UInt16, into bytes: UnsafeMutableRawBufferPointer) {
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        bytes.copyBytes(from: mark)
        bytes.storeBytes(
            of: endMark.littleEndian, toByteOffset: endOffset, as: UInt16.self)
    }

    /// True for what ``encode(endMark:into:)`` writes.
    package static func matches(_ bytes: UnsafeRawBufferPointer, endMark: UInt16) -> Bool {
        bytes.starts(with: mark)
            && bytes[mark.count..<endOffset].allSatisfy { $0 == 0 }
            && UInt16(littleEndian: bytes.load(fromByteOffset: endOffset, as: UInt16.self))
                == endMark
            && bytes[(endOffset + 2)...].allSatisfy { $0 == 0 }
    }
}
