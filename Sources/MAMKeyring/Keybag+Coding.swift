// Encoding a keybag, and decoding one.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel

extension Keybag {
    /// The whole record including its checksum. Its keys are wrapped, so it may be an array.
    package var encoded: [UInt8] {
        let stored = storedSlots
        let slots = KeybagOffset.others + others.counts.byteCount
        let count = slots + stored.byteCount + 4
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        encodeAssociated(into: &raw)
        raw.store(wrappedKeys, at: KeybagOffset.wrappedKeys.lowerBound)
        others.counts.store(in: &raw, retiredAt: KeybagOffset.retiredCount)
        raw.store(UInt8(stored.count), at: KeybagOffset.slotCount)
        raw.store(others.bytes, at: KeybagOffset.others)
        raw.store(stored.encoded, at: slots)
        raw.store(Checksum.crc32(raw.bytes, count: count - 4), at: count - 4)
        return bytes
    }

    /// Lends what a wrapped key's tag covers: bytes 0 to 751, the other keys, the slots, then the
    /// class.
    func withAssociatedData<Result, Failure: Error>(
        _ protectionClass: ProtectionClass,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var bytes = [UInt8](repeating: 0, count: KeybagOffset.wrappedKeys.lowerBound)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        encodeAssociated(into: &raw)
        bytes += others.bytes + storedSlots.encoded + [protectionClass.rawValue]
        return try bytes.span.withUnsafeBytes(body)
    }

    /// The lowest that has what is in it.
    private var version: UInt16 {
        Self.version(others.counts, slots: storedSlots.count) {
            storedSlots.contains { $0.chip != nil }
        }
    }

    private static func version(
        _ others: OtherKeys.Counts, slots: Int, hasChip: () -> Bool
    ) -> UInt16 {
        slots == 0 ? others.version : hasChip() ? 5 : 4
    }

    /// Writes bytes 0 to 751.
    private func encodeAssociated(into bytes: inout MutableRawSpan) {
        bytes.zero(0..<KeybagOffset.wrappedKeys.lowerBound)
        bytes.store(keybagMagic, at: 0)
        bytes.store(version, at: KeybagOffset.version)
        bytes.store(UInt8(others.joined.count), at: KeybagOffset.joinedCount)
        bytes.store(uid, at: KeybagOffset.uid)
        accountID.bytes.write(to: &bytes, at: KeybagOffset.accountID)
        bytes.store(generation, at: KeybagOffset.generation)
        bytes.store(registrationTime, at: KeybagOffset.registrationTime)
        identity.encode(into: &bytes)
        publicKeyB.write(to: &bytes, at: KeybagOffset.publicKeyB)
        keyIDs.encode(into: &bytes)
        guard case .passphrase(let derivation) = lock else { return }
        bytes.store(passphraseFlag, at: KeybagOffset.flags)
        bytes.store(derivation.cost.passes, at: KeybagOffset.passes)
        bytes.store(derivation.cost.memoryByteCount, at: KeybagOffset.memory)
        derivation.salt.write(to: &bytes, at: KeybagOffset.salt)
    }
}

// Decoding: rejects everything that `encode` would not write.
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
        let lock = try decodeLock(bytes)
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
            generation: generation, lock: lock,
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
        let offset = slotsOffset(in: bytes)
        let slots = [KeySlot].byteCount(in: bytes, at: offset, count: slotCount(in: bytes))
        guard bytes.byteCount == offset + slots + 4 else {
            throw .field(offset: KeybagOffset.retiredCount)
        }
        guard found == impliedVersion(bytes) else { throw .field(offset: KeybagOffset.version) }
    }

    /// True when the checksum is right for the version that these counts imply: a corrupted version
    /// field in one copy must not prevent repair from the other.
    private static func lacksOnlyVersion(_ bytes: RawSpan) -> Bool {
        guard byteCount...maximumByteCount ~= bytes.byteCount else { return false }
        let expected = impliedVersion(bytes)
        let checksum = bytes.byteCount - 4
        return bytes.integer(UInt32.self, at: checksum)
            == Checksum.crc32(
                bytes, count: checksum, startingWith: keybagMagic + [UInt8(expected), 0])
    }

    private static func otherCounts(in bytes: RawSpan) -> OtherKeys.Counts {
        OtherKeys.Counts(in: bytes, retiredAt: KeybagOffset.retiredCount)
    }

    private static func slotCount(in bytes: RawSpan) -> Int {
        Int(bytes.integer(UInt8.self, at: KeybagOffset.slotCount))
    }

    private static func slotsOffset(in bytes: RawSpan) -> Int {
        KeybagOffset.others + otherCounts(in: bytes).byteCount
    }

    /// The version of a record with these counts and kinds of slots.
    private static func impliedVersion(_ bytes: RawSpan) -> UInt16 {
        let count = slotCount(in: bytes)
        return version(otherCounts(in: bytes), slots: count) {
            [KeySlot].chipCount(in: bytes, at: slotsOffset(in: bytes), count: count) > 0
        }
    }

    private static func decodeLock(_ bytes: RawSpan) throws(KeybagError) -> Lock {
        let count = slotCount(in: bytes)
        let flags = bytes.integer(UInt8.self, at: KeybagOffset.flags)
        guard flags == 0 || flags == passphraseFlag && count == 0 else {
            throw .field(offset: KeybagOffset.flags)
        }
        guard flags == passphraseFlag else {
            for range in KeybagOffset.passphraseOnly where !bytes.isZero(range) {
                throw .field(offset: range.lowerBound)
            }
            guard count > 0 else { return .deviceSecret }
            let offset = slotsOffset(in: bytes)
            guard let slots = [KeySlot](decoding: bytes, at: offset, count: count) else {
                throw .field(offset: offset)
            }
            return .slots(slots)
        }
        let cost = KeyDerivationCost(
            passes: bytes.integer(UInt32.self, at: KeybagOffset.passes),
            memoryByteCount: bytes.integer(UInt64.self, at: KeybagOffset.memory))
        guard let cost else { throw .field(offset: KeybagOffset.passes) }
        return .passphrase(
            DerivationParameters(
                cost: cost, salt: Bytes16(reading: bytes, at: KeybagOffset.salt)))
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

// The encoding of an account's name and object id in keybags and wipe records.
extension Identity {
    /// Nil for values that no account can have, including nobody.
    init?(decoding bytes: RawSpan) {
        let nameCount = Int(bytes.integer(UInt16.self, at: KeybagOffset.nameCount))
        let objectIDCount = Int(bytes.integer(UInt16.self, at: KeybagOffset.objectIDCount))
        guard let name = bytes.paddedText(in: KeybagOffset.name, count: nameCount),
            let objectID = bytes.paddedText(in: KeybagOffset.objectID, count: objectIDCount),
            let identity = try? Identity(name: name, objectID: objectID), !identity.isNobody
        else { return nil }
        self = identity
    }

    func encode(into bytes: inout MutableRawSpan) {
        bytes.store(UInt16(name.utf8.count), at: KeybagOffset.nameCount)
        bytes.store(UInt16(objectID.utf8.count), at: KeybagOffset.objectIDCount)
        bytes.store(name, paddedIn: KeybagOffset.name)
        bytes.store(objectID, paddedIn: KeybagOffset.objectID)
    }
}
