// A class D key that an import added to an account. Imported keys of A, B and C form a retired set;
// retired sets have no D.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel

/// docs/FORMAT.md, section 3.2. Wrapped under the account's own D, so the device secret alone opens
/// it, like everything of class D.
struct JoinedKey: Sendable, Equatable {
    static let byteCount = 80
    static let maximumCount = RetiredKeys.maximumCount
    private static let wrappedRange = 16..<80
    private static let info = "mamd joined class key v1"

    /// Key id 16 | wrapped key 64.
    let bytes: [UInt8]

    var id: KeyID { KeyID(Bytes16(reading: bytes.span.bytes, at: 0)) }

    /// Nil if its id is zero.
    init?(decoding record: RawSpan, at offset: Int) {
        bytes = record.array(offset..<offset + Self.byteCount)
        guard id != .none else { return nil }
    }

    init(
        _ key: OtherKeys.Key, under keyD: SecretBytes, _ account: AccountID
    ) throws(KeyringError) {
        let head = key.id.bytes.array
        let wrapped = try KeptKey.wrap(
            key.secret, under: keyD, account, info: Self.info,
            associatedData: Self.associatedData(head, account))
        bytes = head + wrapped
    }

    func open(
        under keyD: SecretBytes, _ account: AccountID
    ) throws(KeyringError) -> OtherKeys.Key {
        let secret = try KeptKey.unwrap(
            bytes[Self.wrappedRange], under: keyD, account, info: Self.info,
            associatedData: Self.associatedData(Array(bytes[..<16]), account))
        return OtherKeys.Key(id: id, protectionClass: .none, secret: secret)
    }

    /// The account's id and the key's, then the class.
    private static func associatedData(_ id: [UInt8], _ account: AccountID) -> [UInt8] {
        account.bytes.array + id + [ProtectionClass.none.rawValue]
    }
}

extension Bytes16 {
    var array: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        write(to: &raw, at: 0)
        return bytes
    }
}
