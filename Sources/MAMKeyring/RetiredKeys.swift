// Class keys that the current ones replaced, or that an import added. Bytes other than the
// account's passphrase may open them, so they seal nothing new; what they sealed still opens.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel

/// The keys of A, B and C as keybags and exports store them: docs/FORMAT.md, section 3.1. Wrapped
/// under their successors, so that they need the passphrase, and a change of the passphrase leaves
/// them alone.
struct RetiredKeys: Sendable, Equatable {
    static let byteCount = 272
    /// The limit per account. Nobody removes and sets a passphrase this often by accident.
    static let maximumCount = 32
    /// Without D: the device secret opens it in every keybag, so replacing it would protect
    /// nothing.
    static let classes: [ProtectionClass] = [
        .complete, .completeUnlessOpen, .completeUntilFirstUserAuthentication,
    ]
    private static let publicKeyOffset = 48
    private static let wrappedOffset = 80
    private static let info = "mamd retired class key v1"

    /// Key ids 48 | class B public key 32 | wrapped keys 192.
    let bytes: [UInt8]

    /// Nil if an id is zero.
    init?(decoding bytes: RawSpan, at offset: Int) {
        self.bytes = bytes.array(offset..<offset + Self.byteCount)
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

    /// `current`: their successors.
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

    /// The account's id, the key ids and the public key, then the class.
    private static func associatedData(
        _ head: [UInt8], _ protectionClass: ProtectionClass, _ account: AccountID
    ) -> [UInt8] {
        account.bytes.array + head + [protectionClass.rawValue]
    }
}
