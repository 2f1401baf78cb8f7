// A class key that opens files but seals none, wrapped under a current one.

internal import MAMCrypto
internal import MAMModel

enum KeptKey {
    /// Nonce 16 | key 32 | tag 16.
    static func wrap(
        _ key: SecretBytes, under current: SecretBytes, _ account: AccountID, info: String,
        associatedData data: [UInt8]
    ) throws(KeyringError) -> [UInt8] {
        let wrapping = try wrappingKey(current, account, info)
        var wrapped = [UInt8](repeating: 0, count: KeyWrap.byteCount)
        do throws(SealError) {
            var span = wrapped.mutableSpan
            try span.withUnsafeMutableBytes { wrapped throws(SealError) in
                try data.span.withUnsafeBytes { data throws(SealError) in
                    try KeyWrap.wrap(key, under: wrapping, associatedData: data, into: wrapped)
                }
            }
        } catch { throw .cipher }
        return wrapped
    }

    static func unwrap(
        _ wrapped: ArraySlice<UInt8>, under current: SecretBytes, _ account: AccountID,
        info: String, associatedData data: [UInt8]
    ) throws(KeyringError) -> SecretBytes {
        let wrapping = try wrappingKey(current, account, info)
        do throws(SealError) {
            return try wrapped.span.withUnsafeBytes { wrapped throws(SealError) in
                try data.span.withUnsafeBytes { data throws(SealError) in
                    try KeyWrap.unwrap(wrapped, under: wrapping, associatedData: data)
                }
            }
        } catch {
            guard error == .notAuthentic else { throw .cipher }
            throw .keybag(.keysDamaged)
        }
    }

    private static func wrappingKey(
        _ current: SecretBytes, _ account: AccountID, _ info: String
    ) throws(KeyringError) -> SecretBytes {
        do throws(DerivationError) {
            return try WrappingKey.derive(current, account, info: info)
        } catch { throw .derivation(error) }
    }
}
