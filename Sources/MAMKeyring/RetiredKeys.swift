// Class keys that opened an account's files before the present ones, or that an import has joined:
// other bytes than its passphrase may open them, so nothing is sealed with them any more. What was
// sealed with them still opens.

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
    private static let info = "mamd retired class key v1"

    /// Key ids 48 | class B public key 32 | wrapped keys 192.
    let bytes: [UInt8]

    /// Nil if a key has no name.
    init?(decoding bytes: RawSpan, at offset: Int) {
        self.bytes = (offset..<offset + Self.byteCount).map {
            bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
        }
        guard !keyIDs.contains(.none) else { return nil }
    }

    /// `keys`: one for each of ``classes``, in that order.
    init(
        _ keys: [OtherKeys.Key], publicKeyB: Curve25519.PublicKey, under current: ClassKeys,
        _ account: AccountID
    ) throws(KeyringError) {
        let head = keys.flatMap { $0.id.bytes.array } + publicKeyB.withBytes { Array($0) }
        var bytes = head
        for key in keys {
            bytes += try KeptKey.wrap(
                key.secret, under: current[key.protectionClass], account, info: Self.info,
                associatedData: Self.associatedData(head, key.protectionClass, account))
        }
        self.bytes = bytes
    }

    /// `current`: the keys that came after these.
    func open(
        under current: ClassKeys, _ account: AccountID
    ) throws(KeyringError) -> [OtherKeys.Key] {
        let head = Array(bytes[..<Self.wrappedOffset])
        var keys: [OtherKeys.Key] = []
        for (index, protectionClass) in Self.classes.enumerated() {
            let secret = try KeptKey.unwrap(
                bytes[Self.slot(index)], under: current[protectionClass], account, info: Self.info,
                associatedData: Self.associatedData(head, protectionClass, account))
            keys.append(
                OtherKeys.Key(id: keyIDs[index], protectionClass: protectionClass, secret: secret))
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

    /// The account's id, the names and the public key, then the class.
    private static func associatedData(
        _ head: [UInt8], _ protectionClass: ProtectionClass, _ account: AccountID
    ) -> [UInt8] {
        account.bytes.array + head + [protectionClass.rawValue]
    }
}
