// CRC-32 (IEEE 802.3), as in zlib and PNG: finds accidents, not intent.

/// The checksum of a header or keybag record. Pure arithmetic, so that this module stays free of C.
package enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }

    /// The CRC-32 of the first `count` bytes, the first of them replaced by `prefix`.
    package static func crc32(
        _ bytes: RawSpan, count: Int, startingWith prefix: [UInt8] = []
    ) -> UInt32 {
        var value: UInt32 = 0xFFFF_FFFF
        func add(_ byte: UInt8) {
            value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8)
        }
        for byte in prefix { add(byte) }
        for offset in prefix.count..<count {
            add(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
        }
        return ~value
    }
}
