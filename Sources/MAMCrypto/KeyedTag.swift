// Message authentication: HMAC-SHA256.

internal import CSodium

/// HMAC-SHA256 (RFC 2104) under a 32-byte key.
package enum KeyedTag {
    package static let keyByteCount = 32
    package static let byteCount = 32

    /// Nil for a key that is erased or of the wrong length.
    package static func make(of bytes: [UInt8], key: SecretBytes) -> [UInt8]? {
        key.withBytes { key in
            guard key.count == keyByteCount, let start = octets(key.baseAddress) else { return nil }
            return [UInt8](unsafeUninitializedCapacity: byteCount) { tag, count in
                guard let out = tag.baseAddress else { return }
                crypto_auth_hmacsha256(out, bytes, UInt64(bytes.count), start)
                count = byteCount
            }
        }
    }

    /// Compares in constant time.
    package static func isRight(
        _ tag: some Collection<UInt8>, of bytes: [UInt8], key: SecretBytes
    ) -> Bool {
        guard tag.count == byteCount, let expected = make(of: bytes, key: key) else { return false }
        return isEqualInConstantTime(expected, Array(tag))
    }
}

/// Compares in time that depends only on the lengths.
package func isEqualInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && sodium_memcmp(one, other, one.count) == 0
}
