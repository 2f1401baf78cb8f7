// Encoding an export, and decoding one.

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

// Decoding: rejects everything that sealing would not write.
extension KeyExport {
    /// Decodes a whole record. Opens no key.
    package static func decode(_ record: [UInt8]) throws(KeyExportError) -> KeyExport {
        let bytes = record.span.bytes
        try checkFrame(bytes)
        for range in KeyExportOffset.reserved where !bytes.isZero(range) {
            throw .field(offset: range.lowerBound)
        }
        let accountID = Bytes16(reading: bytes, at: KeybagOffset.accountID)
        guard accountID != .zero else { throw .field(offset: KeybagOffset.accountID) }
        let time = bytes.integer(Int64.self, at: KeyExportOffset.time)
        guard time >= 0 else { throw .field(offset: KeyExportOffset.time) }
        guard let identity = Identity(decoding: bytes) else {
            throw .field(offset: KeybagOffset.nameCount)
        }
        guard let keyIDs = PerClass<KeyID>(decoding: bytes) else {
            throw .field(offset: KeybagOffset.keyIDs)
        }
        guard
            let others = OtherKeys(
                decoding: bytes, at: KeyExportOffset.others, Self.otherCounts(in: bytes),
                beside: keyIDs)
        else { throw .field(offset: KeyExportOffset.others) }
        return KeyExport(
            accountID: AccountID(accountID), identity: identity, time: time,
            lock: try decodeLock(bytes),
            publicKeyB: .init(reading: bytes, at: KeybagOffset.publicKeyB), keyIDs: keyIDs,
            others: others, bytes: record)
    }

    /// Magic, version, length and checksum, in the order that gives the most specific error.
    private static func checkFrame(_ bytes: RawSpan) throws(KeyExportError) {
        guard bytes.byteCount >= KeyExportOffset.kind, bytes.begins(with: keyExportMagic) else {
            throw .notAnExport
        }
        let found = bytes.integer(UInt16.self, at: KeybagOffset.version)
        guard found <= version else { throw .newerVersion(Int(found)) }
        guard byteCount...maximumByteCount ~= bytes.byteCount,
            bytes.byteCount.isMultiple(of: 16)
        else { throw .wrongLength }
        let checksum = bytes.byteCount - 4
        guard bytes.integer(UInt32.self, at: checksum) == Checksum.crc32(bytes, count: checksum)
        else { throw .checksum }
        let others = otherCounts(in: bytes)
        guard found == others.version else { throw .field(offset: KeybagOffset.version) }
        guard bytes.byteCount == byteCount + others.byteCount else { throw .wrongLength }
    }

    private static func otherCounts(in bytes: RawSpan) -> OtherKeys.Counts {
        OtherKeys.Counts(in: bytes, retiredAt: KeyExportOffset.retiredCount)
    }

    private static func decodeLock(_ bytes: RawSpan) throws(KeyExportError) -> Lock {
        let kind = bytes.integer(UInt8.self, at: KeyExportOffset.kind)
        let others =
            kind == KeyExportKind.passphrase
            ? KeyExportOffset.recoveryOnly : KeyExportOffset.passphraseOnly
        for range in others where !bytes.isZero(range) { throw .field(offset: range.lowerBound) }
        switch kind {
        case KeyExportKind.passphrase:
            let cost = KeyDerivationCost(
                passes: bytes.integer(UInt32.self, at: KeybagOffset.passes),
                memoryByteCount: bytes.integer(UInt64.self, at: KeybagOffset.memory))
            guard let cost else { throw .field(offset: KeybagOffset.passes) }
            guard cost.isBearable else { throw .tooCostly }
            return .passphrase(cost: cost, salt: Bytes16(reading: bytes, at: KeybagOffset.salt))
        case KeyExportKind.recoveryKey:
            return .recoveryKey(
                RecoveryPublicKey(reading: bytes, at: KeyExportOffset.recoveryKey),
                ephemeral: .init(reading: bytes, at: KeyExportOffset.ephemeral))
        default: throw .field(offset: KeyExportOffset.kind)
        }
    }
}
