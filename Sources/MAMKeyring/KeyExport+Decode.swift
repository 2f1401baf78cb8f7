// Decoding: rejects everything that sealing would not write.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel

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
