// Exported keys and recovery keys, as anybody may send them: FORMAT.md, sections 7 and 8.

import MAMCrypto
import MAMFormat
import MAMKeyring
import MAMModel

func checkExport(_ bytes: [UInt8]) throws(Violation) {
    for record in [bytes, sealed(bytes, at: bytes.count - 4)] { try checkRecord(record) }
    for file in [bytes, sealed(bytes, at: 156)] {
        let secret = file.withUnsafeBytes { SecretBytes(copying: $0) }
        // A sealed one is not tried: it takes the memory that it asks for.
        guard let pair = try? RecoveryKeyFile.open(secret, passphrase: nil) else { continue }
        let stored = RecoveryPublicKey(reading: file.span.bytes, at: 48)
        let found = RecoveryPublicKey(pair.publicKey)
        try expect(found == stored, "a recovery key whose halves differ")
    }
}

/// The key of the corpus: 32 bytes 77.
private let known = prepared {
    let bytes = [UInt8](repeating: 0x77, count: 32)
    return try Curve25519.KeyPair(privateKey: bytes.withUnsafeBytes { SecretBytes(copying: $0) })
}

private func checkRecord(_ record: [UInt8]) throws(Violation) {
    guard let export = try? KeyExport.decode(record) else { return }
    try expect(export.bytes == record, "an export that decodes is not itself")
    try expect(!export.identity.isNobody && export.time >= 0, "an export of nobody")
    guard case .recoveryKey(let key, _) = export.lock else { return }
    guard (try? export.open(recoveryKey: known)) != nil else { return }
    try expect(key == RecoveryPublicKey(known.publicKey), "a record opens with another's key")
    try expect(export.identity.name == "ann@contoso.com", "a changed record opens")
}
