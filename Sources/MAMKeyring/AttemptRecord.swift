// Delays after wrong passphrases. Pure: takes times, returns delays.

internal import MAMFormat
package import MAMModel

/// The wrong passphrases of one account since the last right one.
package struct AttemptRecord: Equatable, Sendable {
    package var failures: UInt32
    /// Seconds since 1970.
    package var lastFailure: Int64
    /// Distinguishes wrong passphrases; see ``WrappingKey/fingerprint(stretched:_:_:)``.
    package var fingerprint: Bytes16

    /// Added to the count for an unreadable record: gives the longest delay, but counts no real
    /// failure.
    private static let unseen: UInt32 = 1 << 31

    /// Replaces an unreadable record.
    static func worst(at now: Int64) -> AttemptRecord {
        AttemptRecord(failures: unseen, lastFailure: now, fingerprint: .zero)
    }

    /// The real failures, which policy counts and may wipe for.
    package var seenFailures: UInt32 { failures < Self.unseen ? failures : failures - Self.unseen }

    /// Delays in seconds after the first failure, the second and so on; the last applies to all
    /// further ones.
    ///
    /// Short at first, for typing errors. From the fifth on as iOS does: 1, 5, 15, 15 minutes, then
    /// an hour (Apple Platform Security, "Passcodes and passwords").
    private static let delays: [Int64] = [1, 2, 4, 8, 60, 300, 900, 900, 3600]

    /// The total delay after the last failure.
    package var delay: Int64 {
        failures == 0 ? 0 : Self.delays[min(Int(failures), Self.delays.count) - 1]
    }

    /// The seconds until the next try; the full delay if the clock was set back.
    package func remaining(at now: Int64) -> Int64 {
        let passed = now.subtractingReportingOverflow(lastFailure)
        guard passed.partialValue >= 0, !passed.overflow else { return delay }
        return max(0, delay - passed.partialValue)
    }

    /// Counts a failure, unless it repeats the previous passphrase.
    package mutating func count(_ fingerprint: Bytes16, at now: Int64) {
        guard failures == 0 || fingerprint != self.fingerprint else { return }
        failures = failures == .max ? .max : failures + 1
        lastFailure = now
        self.fingerprint = fingerprint
    }
}

/// On disk, 48 bytes, integers little-endian: `magic 8 | version 2 | zero 2 | failures 4 | last
/// failure 8 | fingerprint 16 | zero 4 | CRC-32 4`.
extension AttemptRecord {
    package static let byteCount = 48
    private static let version: UInt16 = 1
    /// `\x89MAMT\r\n\x1a`
    private static let magic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x54, 0x0D, 0x0A, 0x1A]

    static func newerVersion(in bytes: RawSpan) -> Int? {
        bytes.version(above: version, magic: magic)
    }

    /// Nil for anything that ``encoded`` would not return.
    package init?(decoding bytes: RawSpan) {
        guard bytes.byteCount == Self.byteCount else { return nil }
        let record = AttemptRecord(
            failures: bytes.integer(UInt32.self, at: 12),
            lastFailure: bytes.integer(Int64.self, at: 16),
            fingerprint: Bytes16(reading: bytes, at: 24))
        // These three fields determine all others.
        guard bytes.begins(with: record.encoded), record.failures > 0 else { return nil }
        self = record
    }

    package var encoded: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        raw.store(Self.magic, at: 0)
        raw.store(Self.version, at: 8)
        raw.store(failures, at: 12)
        raw.store(lastFailure, at: 16)
        fingerprint.write(to: &raw, at: 24)
        raw.store(Checksum.crc32(raw.bytes, count: 44), at: 44)
        return bytes
    }
}
