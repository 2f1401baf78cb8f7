// The record of wrong passphrases: FORMAT.md, section 4.

import MAMFormat
import MAMKeyring
import MAMModel

func checkAttempts(_ bytes: [UInt8]) throws(Violation) {
    try checkRecord(bytes)
    guard bytes.count >= AttemptRecord.byteCount else { return }
    var sealed = Array(bytes.prefix(AttemptRecord.byteCount))
    var span = sealed.mutableSpan
    var raw = span.mutableBytes
    raw.store(Checksum.crc32(raw.bytes, count: 44), at: 44)
    try checkRecord(sealed)
}

private func checkRecord(_ bytes: [UInt8]) throws(Violation) {
    guard let record = AttemptRecord(decoding: bytes.span.bytes) else { return }
    try expect(record.encoded == bytes, "a record that decodes is not what it encodes to")
    try expect(record.failures > 0 && record.delay > 0, "no delay after a failure")
    var choices = Choices(bytes)
    for now in [choices.wide(), choices.wide(), choices.wide(), record.lastFailure, 0, .max, .min] {
        let remaining = record.remaining(at: now)
        try expect((0...record.delay).contains(remaining), "\(remaining) s at \(now)")
        var counted = record
        counted.count(Bytes16(high: 1, low: UInt64(bitPattern: now)), at: now)
        try expect(counted.delay >= record.delay, "a failure that makes the delay shorter")
        try expect(AttemptRecord(decoding: counted.encoded.span.bytes) == counted, "not itself")
    }
}
