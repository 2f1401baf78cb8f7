// Decoding: rejects everything that `encode` would not write.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel

extension Keybag {
    /// Decodes a whole record. Unwraps no key.
    package static func decode(_ bytes: RawSpan) throws(KeybagError) -> Keybag {
        try checkFrame(bytes)
        for range in KeybagOffset.reserved where !bytes.isZero(range) {
            throw .field(offset: range.lowerBound)
        }
        let time = bytes.integer(Int64.self, at: KeybagOffset.registrationTime)
        guard time >= 0 else { throw .field(offset: KeybagOffset.registrationTime) }
        let generation = bytes.integer(UInt64.self, at: KeybagOffset.generation)
        guard generation >= 1 else { throw .field(offset: KeybagOffset.generation) }
        let accountID = Bytes16(reading: bytes, at: KeybagOffset.accountID)
        guard accountID != .zero else { throw .field(offset: KeybagOffset.accountID) }
        guard let identity = Identity(decoding: bytes) else { throw .ownerText }
        let passphrase = try decodePassphrase(bytes)
        guard let keyIDs = PerClass<KeyID>(decoding: bytes) else {
            throw .field(offset: KeybagOffset.keyIDs)
        }
        guard
            let others = OtherKeys(
                decoding: bytes, at: KeybagOffset.others, Self.otherCounts(in: bytes),
                beside: keyIDs)
        else { throw .field(offset: KeybagOffset.others) }
        return Keybag(
            accountID: AccountID(accountID), identity: identity,
            uid: bytes.integer(UInt32.self, at: KeybagOffset.uid), registrationTime: time,
            generation: generation, passphrase: passphrase,
            publicKeyB: .init(reading: bytes, at: KeybagOffset.publicKeyB),
            keyIDs: keyIDs,
            wrappedKeys: bytes.array(KeybagOffset.wrappedKeys), others: others)
    }

    /// Magic, version, length and checksum, in the order that gives the most specific error.
    private static func checkFrame(_ bytes: RawSpan) throws(KeybagError) {
        guard bytes.begins(with: keybagMagic, count: min(bytes.byteCount, keybagMagic.count))
        else { throw .notAKeybag }
        guard bytes.byteCount >= KeybagOffset.flags else {
            throw .truncated(byteCount: bytes.byteCount)
        }
        // First, because a newer version may define length and checksum differently.
        let found = bytes.integer(UInt16.self, at: KeybagOffset.version)
        guard found <= version || lacksOnlyVersion(bytes) else {
            throw .newerVersion(Int(found))
        }
        guard bytes.byteCount >= byteCount else { throw .truncated(byteCount: bytes.byteCount) }
        guard bytes.byteCount <= maximumByteCount, bytes.byteCount.isMultiple(of: 16) else {
            throw .tooLong
        }
        let checksum = bytes.byteCount - 4
        guard bytes.integer(UInt32.self, at: checksum) == Checksum.crc32(bytes, count: checksum)
        else { throw .checksum }
        let others = otherCounts(in: bytes)
        guard bytes.byteCount == byteCount + others.byteCount else {
            throw .field(offset: KeybagOffset.retiredCount)
        }
        guard found == others.version else { throw .field(offset: KeybagOffset.version) }
    }

    /// True when the checksum is right for the version that these counts imply: a corrupted version
    /// field in one copy must not prevent repair from the other.
    private static func lacksOnlyVersion(_ bytes: RawSpan) -> Bool {
        guard byteCount...maximumByteCount ~= bytes.byteCount else { return false }
        let expected = otherCounts(in: bytes).version
        let checksum = bytes.byteCount - 4
        return bytes.integer(UInt32.self, at: checksum)
            == Checksum.crc32(
                bytes, count: checksum, startingWith: keybagMagic + [UInt8(expected), 0])
    }

    private static func otherCounts(in bytes: RawSpan) -> OtherKeys.Counts {
        OtherKeys.Counts(in: bytes, retiredAt: KeybagOffset.retiredCount)
    }

    private static func decodePassphrase(_ bytes: RawSpan) throws(KeybagError) -> Passphrase? {
        let flags = bytes.integer(UInt8.self, at: KeybagOffset.flags)
        guard flags & ~passphraseFlag == 0 else { throw .field(offset: KeybagOffset.flags) }
        guard flags == passphraseFlag else {
            for range in KeybagOffset.passphraseOnly where !bytes.isZero(range) {
                throw .field(offset: range.lowerBound)
            }
            return nil
        }
        let cost = KeyDerivationCost(
            passes: bytes.integer(UInt32.self, at: KeybagOffset.passes),
            memoryByteCount: bytes.integer(UInt64.self, at: KeybagOffset.memory))
        guard let cost else { throw .field(offset: KeybagOffset.passes) }
        return Passphrase(cost: cost, salt: Bytes16(reading: bytes, at: KeybagOffset.salt))
    }
}

extension PerClass<KeyID> {
    /// The layout of keybags and exports; nil if two ids are equal, or one is zero.
    init?(decoding bytes: RawSpan) {
        self.init { protectionClass in
            KeyID(
                Bytes16(
                    reading: bytes, at: KeybagOffset.keyIDs + 16 * Int(protectionClass.rawValue - 1)
                ))
        }
        // Files find their key by this id, so it must be unique.
        guard Set([a, b, c, d, .none]).count == 5 else { return nil }
    }

    func encode(into bytes: inout MutableRawSpan) {
        for protectionClass in ProtectionClass.allCases {
            self[protectionClass].bytes.write(
                to: &bytes, at: KeybagOffset.keyIDs + 16 * Int(protectionClass.rawValue - 1))
        }
    }
}
