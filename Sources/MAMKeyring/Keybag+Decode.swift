// From bytes to fields: refuses all that `encode` would not write.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel

extension Keybag {
    /// Reads a whole record. No key is opened here.
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
            let retired = [RetiredKeys](
                decoding: bytes, at: KeybagOffset.retired, count: Self.retiredCount(in: bytes),
                beside: keyIDs)
        else { throw .field(offset: KeybagOffset.retired) }
        return Keybag(
            accountID: AccountID(accountID), identity: identity,
            uid: bytes.integer(UInt32.self, at: KeybagOffset.uid), registrationTime: time,
            generation: generation, passphrase: passphrase,
            publicKeyB: .init(reading: bytes, at: KeybagOffset.publicKeyB),
            keyIDs: keyIDs,
            wrappedKeys: KeybagOffset.wrappedKeys.map {
                bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
            }, retired: retired)
    }

    /// Magic, version, length and checksum, in the order that gives the most telling answer.
    private static func checkFrame(_ bytes: RawSpan) throws(KeybagError) {
        let isKeybag = (0..<min(bytes.byteCount, keybagMagic.count)).allSatisfy {
            bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) == keybagMagic[$0]
        }
        guard isKeybag else { throw .notAKeybag }
        guard bytes.byteCount >= KeybagOffset.flags else {
            throw .truncated(byteCount: bytes.byteCount)
        }
        // A newer version may have another length and checksum.
        let recordVersion = bytes.integer(UInt16.self, at: KeybagOffset.version)
        guard recordVersion <= version || lacksOnlyVersion(bytes) else {
            throw .newerVersion(Int(recordVersion))
        }
        guard bytes.byteCount >= byteCount else { throw .truncated(byteCount: bytes.byteCount) }
        guard let expected = self.version(ofByteCount: bytes.byteCount) else { throw .tooLong }
        let checksum = bytes.byteCount - 4
        guard bytes.integer(UInt32.self, at: checksum) == Checksum.crc32(bytes, count: checksum)
        else { throw .checksum }
        guard recordVersion == expected else { throw .field(offset: KeybagOffset.version) }
        guard bytes.byteCount == byteCount + RetiredKeys.byteCount * retiredCount(in: bytes) else {
            throw .field(offset: KeybagOffset.retiredCount)
        }
    }

    /// Which of the known versions a record of this length has; nil if none does.
    private static func version(ofByteCount count: Int) -> UInt16? {
        guard byteCount...maximumByteCount ~= count,
            (count - byteCount).isMultiple(of: RetiredKeys.byteCount)
        else { return nil }
        return count == byteCount ? 1 : 2
    }

    /// True when the checksum is right for the version that a record of this length has: an
    /// accident in the version field of one copy must not keep the other one from repairing it.
    private static func lacksOnlyVersion(_ bytes: RawSpan) -> Bool {
        guard let expected = self.version(ofByteCount: bytes.byteCount) else { return false }
        let prefix = keybagMagic + [UInt8(expected), 0]
        let checksum = bytes.byteCount - 4
        return bytes.integer(UInt32.self, at: checksum)
            == Checksum.crc32(bytes, count: checksum, startingWith: prefix)
    }

    private static func retiredCount(in bytes: RawSpan) -> Int {
        Int(bytes.integer(UInt8.self, at: KeybagOffset.retiredCount))
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
    /// From where keybags and exports have them; nil if they could not be told apart.
    init?(decoding bytes: RawSpan) {
        self.init { protectionClass in
            KeyID(
                Bytes16(
                    reading: bytes, at: KeybagOffset.keyIDs + 16 * Int(protectionClass.rawValue - 1)
                ))
        }
        // Files find their key by this name, so it must be one key's only.
        guard Set([a, b, c, d, .none]).count == 5 else { return nil }
    }

    func encode(into bytes: inout MutableRawSpan) {
        for protectionClass in ProtectionClass.allCases {
            self[protectionClass].bytes.write(
                to: &bytes, at: KeybagOffset.keyIDs + 16 * Int(protectionClass.rawValue - 1))
        }
    }
}
