// One of the secrets that open an account.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel

/// A secret's parameters, and the account key sealed to it: docs/FORMAT.md, section 3.3.
///
/// The account key is sealed to a key pair that the secret derives, so that a change made with one
/// secret can give the account a new key that the others open, too.
package struct KeySlot: Sendable, Equatable {
    static let byteCount = 192
    /// The limit per account.
    package static let maximumCount = 8

    /// The values are the record's.
    package enum Kind: UInt8, Sendable, CaseIterable {
        case passphrase = 1
        /// Generated words: ``RecoveryWords``.
        case recovery = 2
        /// A TPM 2.0 chip, with a PIN or without.
        case tpm = 3
    }

    package let id: ID
    package let kind: Kind
    /// Seconds since 1970, not negative.
    package let creationTime: Int64
    /// Nil where nothing is typed: a chip's without a PIN.
    package let derivation: DerivationParameters?
    let publicKey: Curve25519.PublicKey
    /// Of a chip's alone.
    package var chip: ChipSeal?
    /// Ephemeral public key 32 | account key wrapped 64; empty until it is sealed.
    var sealedKey: [UInt8] = []

    /// Four random bytes, unique in the keybag.
    package struct ID: Hashable, Sendable {
        let value: UInt32

        /// That of the passphrase of a keybag of before.
        package static let none = ID(value: 0)

        /// One that none of these slots has.
        static func random(beside slots: [KeySlot]) -> ID {
            var id = none
            while id == none || slots.contains(where: { $0.id == id }) {
                id = ID(value: .random(in: .min ... .max))
            }
            return id
        }
    }
}

extension KeySlot.Kind: CustomStringConvertible {
    package var description: String {
        switch self {
        case .passphrase: "passphrase"
        case .recovery: "recovery"
        case .tpm: "tpm"
        }
    }
}

extension KeySlot.ID: CustomStringConvertible {
    /// Eight lower-case hexadecimal digits.
    package var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The inverse of ``description``, also in upper case; nil for any other text.
    package init?(_ text: String) {
        guard text.utf8.count == 8, text.utf8.first != UInt8(ascii: "+"),
            let value = UInt32(text, radix: 16)
        else { return nil }
        self.init(value: value)
    }
}

// MARK: The account key

extension KeySlot {
    private static let info = "mamd key slot seal v1"
    private static let ephemeralRange = 0..<32
    private static let wrappedRange = 32..<96

    /// Seals an account's key to this slot.
    mutating func seal(_ accountKey: SecretBytes, _ account: AccountID) throws(KeyringError) {
        let (ephemeral, key) = try KeyAgreement.start(with: publicKey, info: Self.info)
        sealedKey = ephemeral.withBytes { Array($0) }
        sealedKey += try KeyWrap.wrap(
            accountKey, under: key, associatedData: associatedData(account))
    }

    /// ``KeybagError/keysDamaged`` if the slot was changed.
    func open(
        _ privateKey: SecretBytes, _ account: AccountID
    ) throws(KeyringError) -> SecretBytes {
        let ephemeral = Curve25519.PublicKey(
            reading: sealedKey.span.bytes, at: Self.ephemeralRange.lowerBound)
        let key: SecretBytes
        do throws(SealError) {
            key = try KeyAgreement.finish(
                privateKey, of: publicKey, ephemeral: ephemeral, info: Self.info)
        } catch { throw .opening(error) }
        return try KeyWrap.unwrap(
            sealedKey[Self.wrappedRange], under: key, associatedData: associatedData(account))
    }

    /// The account's id, bytes 0 to 127, then what the chip has sealed.
    private func associatedData(_ account: AccountID) -> [UInt8] {
        account.bytes.array + encoded[..<KeySlotOffset.wrapped] + (chip?.encoded ?? [])
    }
}

// MARK: Coding

/// Field offsets of a slot.
private enum KeySlotOffset {
    static let kind = 0
    static let passes = 4
    static let memory = 8
    static let id = 16
    static let creationTime = 24
    static let salt = 32
    static let publicKey = 64
    static let sealedKey = 96..<192
    static let wrapped = 128
    /// Must be zero.
    static let reserved = [1..<4, 20..<24, 48..<64]
    /// Must be zero where nothing is stretched.
    static let derivation = [4..<16, 32..<48]
}

extension KeySlot {
    /// All 192 bytes. What is secret in them is sealed.
    var encoded: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        raw.store(kind.rawValue, at: KeySlotOffset.kind)
        raw.store(id.value, at: KeySlotOffset.id)
        raw.store(creationTime, at: KeySlotOffset.creationTime)
        if let derivation {
            raw.store(derivation.cost.passes, at: KeySlotOffset.passes)
            raw.store(derivation.cost.memoryByteCount, at: KeySlotOffset.memory)
            derivation.salt.write(to: &raw, at: KeySlotOffset.salt)
        }
        publicKey.write(to: &raw, at: KeySlotOffset.publicKey)
        raw.store(sealedKey, at: KeySlotOffset.sealedKey.lowerBound)
        return bytes
    }

    /// Nil for values that no writer gives. A chip's lacks what that has sealed.
    fileprivate init?(decoding record: RawSpan, at offset: Int) {
        let bytes = record.extracting(offset..<offset + Self.byteCount)
        let creationTime = bytes.integer(Int64.self, at: KeySlotOffset.creationTime)
        guard let kind = Kind(rawValue: bytes.integer(UInt8.self, at: KeySlotOffset.kind)),
            KeySlotOffset.reserved.allSatisfy({ bytes.isZero($0) }), creationTime >= 0
        else { return nil }
        if kind == .tpm, KeySlotOffset.derivation.allSatisfy({ bytes.isZero($0) }) {
            derivation = nil
        } else {
            let cost = KeyDerivationCost(
                passes: bytes.integer(UInt32.self, at: KeySlotOffset.passes),
                memoryByteCount: bytes.integer(UInt64.self, at: KeySlotOffset.memory))
            guard let cost, cost.isSettable else { return nil }
            derivation = DerivationParameters(
                cost: cost, salt: Bytes16(reading: bytes, at: KeySlotOffset.salt))
        }
        id = ID(value: bytes.integer(UInt32.self, at: KeySlotOffset.id))
        guard id != .none else { return nil }
        (self.kind, self.creationTime) = (kind, creationTime)
        publicKey = .init(reading: bytes, at: KeySlotOffset.publicKey)
        sealedKey = bytes.array(KeySlotOffset.sealedKey)
    }
}

extension [KeySlot] {
    /// The slots, then what chips have sealed.
    var encoded: [UInt8] { flatMap(\.encoded) + flatMap { $0.chip?.encoded ?? [] } }

    /// The length of ``encoded``.
    var byteCount: Int { Self.byteCount(count, chips: count { $0.chip != nil }) }

    /// The length that the record has for its slots, as far as it has their kinds.
    static func byteCount(in record: RawSpan, at offset: Int, count: Int) -> Int {
        byteCount(count, chips: chipCount(in: record, at: offset, count: count))
    }

    /// How many of the record's slots are a chip's.
    static func chipCount(in record: RawSpan, at offset: Int, count: Int) -> Int {
        let kinds = (0..<count).map { offset + KeySlot.byteCount * $0 + KeySlotOffset.kind }
        return kinds.count {
            $0 < record.byteCount
                && record.integer(UInt8.self, at: $0) == KeySlot.Kind.tpm.rawValue
        }
    }

    private static func byteCount(_ count: Int, chips: Int) -> Int {
        KeySlot.byteCount * count + ChipSeal.byteCount * chips
    }

    /// Nil if there are too many, one breaks a rule, or two have one id.
    init?(decoding record: RawSpan, at offset: Int, count: Int) {
        guard count <= KeySlot.maximumCount else { return nil }
        self = []
        for index in 0..<count {
            let place = offset + KeySlot.byteCount * index
            guard let slot = KeySlot(decoding: record, at: place) else { return nil }
            append(slot)
        }
        guard Set(map(\.id)).count == count else { return nil }
        var end = offset + KeySlot.byteCount * count
        for index in indices where self[index].kind == .tpm {
            guard let chip = ChipSeal(decoding: record, at: end) else { return nil }
            self[index].chip = chip
            end += ChipSeal.byteCount
        }
    }
}
