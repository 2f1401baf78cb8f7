// Encoding, and the positions of keys in a record.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel

extension KeyExport {
    /// Everything except the sealed keys, their tag, and the check value over them.
    static func head(_ keybag: Keybag, _ time: Int64, _ lock: Lock) -> [UInt8] {
        let others = keybag.others
        var record = [UInt8](repeating: 0, count: byteCount + others.counts.byteCount)
        var span = record.mutableSpan
        var raw = span.mutableBytes
        raw.store(keyExportMagic, at: 0)
        raw.store(others.counts.version, at: KeybagOffset.version)
        others.counts.store(in: &raw, retiredAt: KeyExportOffset.retiredCount)
        raw.store(others.bytes, at: KeyExportOffset.others)
        keybag.accountID.bytes.write(to: &raw, at: KeybagOffset.accountID)
        raw.store(time, at: KeyExportOffset.time)
        keybag.identity.encode(into: &raw)
        keybag.publicKeyB.write(to: &raw, at: KeybagOffset.publicKeyB)
        keybag.keyIDs.encode(into: &raw)
        switch lock {
        case .passphrase(let cost, let salt):
            raw.store(KeyExportKind.passphrase, at: KeyExportOffset.kind)
            raw.store(cost.passes, at: KeybagOffset.passes)
            raw.store(cost.memoryByteCount, at: KeybagOffset.memory)
            salt.write(to: &raw, at: KeybagOffset.salt)
        case .recoveryKey(let key, let ephemeral):
            raw.store(KeyExportKind.recoveryKey, at: KeyExportOffset.kind)
            key.write(to: &raw, at: KeyExportOffset.recoveryKey)
            ephemeral.write(to: &raw, at: KeyExportOffset.ephemeral)
        }
        SecureRandom.bytes16().write(to: &raw, at: KeyExportOffset.nonce)
        return record
    }

    /// Lends the cipher's inputs: the associated data are all bytes before the sealed keys,
    /// followed by the other keys.
    static func withParts(
        of record: inout [UInt8],
        _ body: (
            UnsafeRawBufferPointer, _ nonce: UnsafeRawPointer, _ sealed: UnsafeMutableRawPointer,
            _ tag: UnsafeMutableRawPointer
        ) throws(SealError) -> Void
    ) throws(SealError) {
        let sealed = KeyExportOffset.sealedKeys.lowerBound
        let associated = Array(
            record[..<sealed] + record[KeyExportOffset.others..<record.count - 4])
        try associated.span.withUnsafeBytes { associated throws(SealError) in
            var span = record.mutableSpan
            try span.withUnsafeMutableBytes { buffer throws(SealError) in
                guard let start = buffer.baseAddress else { throw .failure }
                try body(
                    associated, start + KeyExportOffset.nonce, start + sealed,
                    start + KeyExportOffset.tag)
            }
        }
    }

    /// A, B, C and D, concatenated.
    static func joinedKeys(_ keys: ClassKeys) -> SecretBytes {
        .joining(.joining(keys.a, keys.b), .joining(keys.c, keys.d))
    }

    static func splitKeys(_ joined: SecretBytes) -> ClassKeys {
        joined.withBytes { bytes in
            ClassKeys { protectionClass in
                let start = AESGCM.keyByteCount * Int(protectionClass.rawValue - 1)
                return SecretBytes(
                    copying: .init(rebasing: bytes[start..<start + AESGCM.keyByteCount]))
            }
        }
    }
}
