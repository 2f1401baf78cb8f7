// CRC-32 (IEEE 802.3), as in zlib and PNG: detects accidents, not attacks.

/// The checksum of a header or keybag record. Plain Swift, so that this module needs no C.
package enum Checksum {
    /// Tables for slicing-by-8: the effect of a byte on the sum, by its distance from the end of
    /// the word.
    private static let tables: [UInt32] = {
        var tables: [UInt32] = (0..<256).map { index in
            (0..<8).reduce(UInt32(index)) { value, _ in
                value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
            }
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables.append(tables[Int(before & 0xFF)] ^ (before >> 8))
        }
        return tables
    }()

    /// Zeros handled at once: most bytes of a header are zero.
    private static let runByteCount = 64

    /// The effect of a run of zeros on each byte of the sum, lowest byte first. CRC is linear, so
    /// the sum after the run is the XOR of the four.
    private static let zeroRunTables: [UInt32] = {
        var made: [UInt32] = []
        for index in 0..<4 * 256 {
            var value = UInt32(index % 256) << UInt32(index / 256 * 8)
            for _ in 0..<runByteCount { value = tables[Int(value & 0xFF)] ^ (value >> 8) }
            made.append(value)
        }
        return made
    }()

    private static func addZeroRun(to value: UInt32, _ tables: [UInt32]) -> UInt32 {
        var sum: UInt32 = 0
        for place in 0..<4 {
            let byte = Int(value >> UInt32(8 * place)) & 0xFF
            sum ^= tables[place * 256 + byte]
        }
        return sum
    }

    /// The CRC-32 of the first `count` bytes, as if they began with `prefix`.
    ///
    /// Works in 8-byte words, whose table look-ups are independent: every file looked up for the
    /// first time comes here.
    package static func crc32(
        _ bytes: RawSpan, count: Int, startingWith prefix: [UInt8] = []
    ) -> UInt32 {
        let tables = tables
        let zeroRunTables = zeroRunTables
        var value: UInt32 = 0xFFFF_FFFF
        func add(_ byte: UInt8) {
            value = tables[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8)
        }
        for byte in prefix { add(byte) }
        var offset = prefix.count
        while offset + 8 <= count {
            let read = bytes.integer(UInt64.self, at: offset)
            let run = offset..<offset + runByteCount
            if read == 0, run.upperBound <= count, bytes.isZero(run) {
                value = addZeroRun(to: value, zeroRunTables)
                offset = run.upperBound
                continue
            }
            let word = read ^ UInt64(value)
            value = 0
            for place in 0..<8 {
                let byte = Int(truncatingIfNeeded: word >> (8 * place)) & 0xFF
                value ^= tables[(7 - place) * 256 + byte]
            }
            offset += 8
        }
        for offset in offset..<max(offset, count) {
            add(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
        }
        return ~value
    }
}
