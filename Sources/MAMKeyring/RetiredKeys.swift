// Class keys that an account had before it was given a passphrase: old keybags open them with the
// device secret alone, so nothing is sealed with them any more. What was sealed with them still
// opens.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel

/// The keys of A, B and C as keybags and exports hold them: docs/FORMAT.md, section 3.1. Wrapped
/// with the keys that came after them, so that a passphrase has to be known, and a change of it
/// leaves them as they are.
struct RetiredKeys: Sendable, Equatable {
    static let byteCount = 272
    /// Of an account. Nobody takes a passphrase away and sets one so often who does not mean to.
    static let maximumCount = 32
    /// D's key is the device's in every keybag: to make a new one would keep nothing from anybody.
    static let classes: [ProtectionClass] = [
        .complete, .completeUnlessOpen, .completeUntilFirstUserAuthentication,
    ]
    private static let publicKeyOffset = 48
    private static let wrappedOffset = 80

    /// Key ids 48 | class B public key 32 | wrapped keys 192.
    let bytes: [UInt8]

    /// One of the class keys, by the name that files know it by.
    struct Key: Sendable {
        let id: KeyID
        let protectionClass: ProtectionClass
        let secret: SecretBytes
    }

    /// Nil if a key has no name.
    init?(decoding bytes: RawSpan, at offset: Int) {
        self.bytes = (offset..<offset + Self.byteCount).map {
            bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
        }
        guard !keyIDs.contains(.none) else { return nil }
    }

    /// `keys`: one for each of ``classes``, in that order.
    init(
        _ keys: [Key], publicKeyB: Curve25519.PublicKey, under current: ClassKeys,
        _ account: AccountID
    ) throws(KeyringError) {
        var record = [UInt8](repeating: 0, count: Self.byteCount)
        var span = record.mutableSpan
        var raw = span.mutableBytes
        for (index, key) in keys.enumerated() { key.id.bytes.write(to: &raw, at: 16 * index) }
        publicKeyB.write(to: &raw, at: Self.publicKeyOffset)
        for (index, key) in keys.enumerated() {
            var slot: InlineArray<64, UInt8> = .init(repeating: 0)
            let data = Self.associatedData(raw.bytes, key.protectionClass, account)
            let wrapping = try Self.wrappingKey(current[key.protectionClass], account)
            do throws(SealError) {
                try withUnsafeMutableBytes(of: &slot) { slot throws(SealError) in
                    try data.span.withUnsafeBytes { data throws(SealError) in
                        try KeyWrap.wrap(
                            key.secret, under: wrapping, associatedData: data, into: slot)
                    }
                }
            } catch { throw .cipher }
            for offset in 0..<KeyWrap.byteCount {
                raw.store(slot[offset], at: Self.slot(index).lowerBound + offset)
            }
        }
        bytes = record
    }

    /// `current`: the keys that came after these.
    func open(under current: ClassKeys, _ account: AccountID) throws(KeyringError) -> [Key] {
        var keys: [Key] = []
        for (index, protectionClass) in Self.classes.enumerated() {
            let wrapping = try Self.wrappingKey(current[protectionClass], account)
            let data = Self.associatedData(bytes.span.bytes, protectionClass, account)
            do throws(SealError) {
                let secret = try bytes.span.withUnsafeBytes { bytes throws(SealError) in
                    try data.span.withUnsafeBytes { data throws(SealError) in
                        try KeyWrap.unwrap(
                            .init(rebasing: bytes[Self.slot(index)]), under: wrapping,
                            associatedData: data)
                    }
                }
                keys.append(
                    Key(id: keyIDs[index], protectionClass: protectionClass, secret: secret))
            } catch {
                guard error == .notAuthentic else { throw .cipher }
                throw .keybag(.keysDamaged)
            }
        }
        return keys
    }

    /// In the order of ``classes``.
    var keyIDs: [KeyID] {
        Self.classes.indices.map { KeyID(Bytes16(reading: bytes.span.bytes, at: 16 * $0)) }
    }

    var publicKeyB: Curve25519.PublicKey {
        .init(reading: bytes.span.bytes, at: Self.publicKeyOffset)
    }

    private static func slot(_ index: Int) -> Range<Int> {
        let start = wrappedOffset + KeyWrap.byteCount * index
        return start..<start + KeyWrap.byteCount
    }

    private static func wrappingKey(
        _ current: SecretBytes, _ account: AccountID
    ) throws(KeyringError) -> SecretBytes {
        do throws(DerivationError) {
            return try WrappingKey.derive(current, account, info: "mamd retired class key v1")
        } catch { throw .derivation(error) }
    }

    /// The account's id, the names and the public key, then the class.
    private static func associatedData(
        _ record: RawSpan, _ protectionClass: ProtectionClass, _ account: AccountID
    ) -> [UInt8] {
        var data = [UInt8](repeating: 0, count: 16 + wrappedOffset + 1)
        var span = data.mutableSpan
        var raw = span.mutableBytes
        account.bytes.write(to: &raw, at: 0)
        for offset in 0..<wrappedOffset {
            raw.store(record.unsafeLoad(fromByteOffset: offset, as: UInt8.self), at: 16 + offset)
        }
        raw.store(protectionClass.rawValue, at: 16 + wrappedOffset)
        return data
    }
}

extension [RetiredKeys] {
    /// What follows the fixed fields of a record that holds so many; nil if a key has no name or
    /// two have the same, with those of `current` among them.
    init?(decoding bytes: RawSpan, at offset: Int, count: Int, beside current: PerClass<KeyID>) {
        self = []
        for index in 0..<count {
            let place = offset + RetiredKeys.byteCount * index
            guard let keys = RetiredKeys(decoding: bytes, at: place) else { return nil }
            append(keys)
        }
        let names = keyIDs(beside: current)
        guard Set(names).count == names.count else { return nil }
    }

    func keyIDs(beside current: PerClass<KeyID>) -> [KeyID] {
        ProtectionClass.allCases.map { current[$0] } + flatMap(\.keyIDs)
    }

    var joinedBytes: [UInt8] { flatMap(\.bytes) }
}
