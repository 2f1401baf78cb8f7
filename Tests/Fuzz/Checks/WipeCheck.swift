// The record of a decided wipe: FORMAT.md, section 5.

import MAMKeyring
import MAMModel

/// As it came, and with the checksum that it should have.
func checkWipe(_ bytes: [UInt8]) throws(Violation) {
    for record in [bytes, sealed(bytes, at: bytes.count - 4)] {
        guard let wipe = WipeIntent(decoding: record.span.bytes) else { continue }
        try expect(wipe.encoded == record, "a wipe that decodes is not what it encodes to")
        try expect(!wipe.identity.isNobody, "a wipe of nobody")
        try expect(!wipe.covers(.none), "a wipe of files without a key")
        for offset in keyOffsets(of: record) {
            let key = KeyID(Bytes16(reading: record.span.bytes, at: offset))
            try expect(wipe.covers(key), "a wipe without the key at \(offset)")
        }
    }
}

private func keyOffsets(of record: [UInt8]) -> [Int] {
    Array(stride(from: 640, to: 704, by: 16))
        + Array(stride(from: 1020, to: record.count - 4, by: 16))
}
