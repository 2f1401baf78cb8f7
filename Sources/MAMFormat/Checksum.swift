// CRC-32 (IEEE 802.3), as in zlib and PNG: finds accidents, not intent.

/// The checksum of a header or keybag record. Pure arithmetic, so that this module stays free of C.
package enum Checksum {
    /// What a byte does to the sum, and after it what one does that stands 1 to 7 bytes before the
    /// end of a word.
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

    /// So many zeros at once: of a header most bytes are.
    private static let runByteCount = 64

    /// What a run of zeros makes of each byte of the sum, the first byte's table first. What it
    /// makes of the sum is all four together: nothing is carried from one bit to another.
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

    /// The CRC-32 of the first `count` bytes, the first of them replaced by `prefix`.
    ///
    /// By words of 8 bytes, whose look-ups do not wait for each other: every file that becomes
    /// known comes here.
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
