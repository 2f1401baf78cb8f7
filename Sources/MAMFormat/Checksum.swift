// CRC-32 (IEEE 802.3), as in zlib and PNG: detects accidents, not attacks.

internal import CDeflate

/// The checksum of a header or keybag record.
package enum Checksum {
    /// The CRC-32 of the first `count` bytes, as if they began with `prefix`.
    package static func crc32(
        _ bytes: RawSpan, count: Int, startingWith prefix: [UInt8] = []
    ) -> UInt32 {
        let sum = libdeflate_crc32(0, prefix, prefix.count)
        return bytes.extracting(prefix.count..<max(prefix.count, count)).withUnsafeBytes {
            libdeflate_crc32(sum, $0.baseAddress, $0.count)
        }
    }
}
