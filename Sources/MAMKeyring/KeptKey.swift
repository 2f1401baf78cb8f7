// A class key that opens files but seals none, wrapped under a current one.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel

enum KeptKey {
    /// Nonce 16 | key 32 | tag 16.
    static func wrap(
        _ key: SecretBytes, under current: SecretBytes, _ account: AccountID, info: String,
        associatedData data: [UInt8]
    ) throws(KeyringError) -> [UInt8] {
        try KeyWrap.wrap(
            key, under: try wrappingKey(current, account, info), associatedData: data)
    }

    static func unwrap(
        _ wrapped: ArraySlice<UInt8>, under current: SecretBytes, _ account: AccountID,
        info: String, associatedData data: [UInt8]
    ) throws(KeyringError) -> SecretBytes {
        try KeyWrap.unwrap(
            wrapped, under: try wrappingKey(current, account, info), associatedData: data)
    }

    private static func wrappingKey(
        _ current: SecretBytes, _ account: AccountID, _ info: String
    ) throws(KeyringError) -> SecretBytes {
        do throws(DerivationError) {
            return try Derivation.hkdf(input: current, salt: account.bytes, info: info)
        } catch { throw .derivation(error) }
    }
}

// In a keybag's own records.
extension KeyWrap {
    /// Nonce 16 | key 32 | tag 16.
    static func wrap(
        _ key: SecretBytes, under wrapping: SecretBytes, associatedData data: [UInt8]
    ) throws(KeyringError) -> [UInt8] {
        var wrapped = [UInt8](repeating: 0, count: byteCount)
        do throws(SealError) {
            var span = wrapped.mutableSpan
            try span.withUnsafeMutableBytes { wrapped throws(SealError) in
                try data.span.withUnsafeBytes { data throws(SealError) in
                    try wrap(key, under: wrapping, associatedData: data, into: wrapped)
                }
            }
        } catch { throw .cipher }
        return wrapped
    }

    static func unwrap(
        _ wrapped: ArraySlice<UInt8>, under wrapping: SecretBytes, associatedData data: [UInt8]
    ) throws(KeyringError) -> SecretBytes {
        do throws(SealError) {
            return try wrapped.span.withUnsafeBytes { wrapped throws(SealError) in
                try data.span.withUnsafeBytes { data throws(SealError) in
                    try unwrap(wrapped, under: wrapping, associatedData: data)
                }
            }
        } catch { throw .opening(error) }
    }
}

extension KeyringError {
    /// For what a keybag's own key should open.
    static func opening(_ error: SealError) -> KeyringError {
        error == .notAuthentic ? .keybag(.keysDamaged) : .cipher
    }
}

/// A class D key that an import added: imported keys of A, B and C form a retired set, which has no
/// D. Wrapped under the account's own D, so the device secret alone opens it, like everything of
/// class D: docs/FORMAT.md, section 3.2.
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
