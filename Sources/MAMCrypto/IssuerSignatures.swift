// Signatures of an issuer's tokens: RS256 and ES256 (RFC 7518).

internal import CCrypto

/// RSASSA-PKCS1-v1_5 with SHA-256.
package enum RS256 {
    /// Shorter ones can be factored; longer ones only cost time.
    package static let modulusByteCounts = 256...1024

    /// The numbers are big-endian, without leading zeros. False also for what is no key.
    package static func isSigned(
        _ message: [UInt8], with signature: [UInt8], modulus: [UInt8], exponent: [UInt8]
    ) -> Bool {
        guard isKey(modulus: modulus, exponent: exponent), signature.count == modulus.count,
            let key = mam_rsa_key(modulus, modulus.count, exponent, exponent.count)
        else { return false }
        defer { EVP_PKEY_free(key) }
        return mam_is_signed(key, signature, signature.count, message, message.count) == 1
    }

    package static func isKey(modulus: [UInt8], exponent: [UInt8]) -> Bool {
        guard modulusByteCounts.contains(modulus.count), (1...4).contains(exponent.count),
            let first = modulus.first, first != 0, exponent.first != 0,
            let last = modulus.last, !last.isMultiple(of: 2)
        else { return false }
        let value = exponent.reduce(0) { $0 << 8 | UInt64($1) }
        return value >= 3 && !value.isMultiple(of: 2)
    }
}

/// ECDSA on P-256 with SHA-256.
package enum ES256 {
    package static let coordinateByteCount = 32
    package static let signatureByteCount = 64

    /// `signature`: R and S, of 32 bytes each. False also for a point that is not on the curve.
    package static func isSigned(
        _ message: [UInt8], with signature: [UInt8], x: [UInt8], y: [UInt8]
    ) -> Bool {
        guard signature.count == signatureByteCount, let key = key(x: x, y: y) else { return false }
        defer { EVP_PKEY_free(key) }
        return mam_is_signed_p256(key, signature, message, message.count) == 1
    }

    package static func isKey(x: [UInt8], y: [UInt8]) -> Bool {
        guard let key = key(x: x, y: y) else { return false }
        EVP_PKEY_free(key)
        return true
    }

    private static func key(x: [UInt8], y: [UInt8]) -> OpaquePointer? {
        guard x.count == coordinateByteCount, y.count == coordinateByteCount else { return nil }
        let point = [0x04] + x + y
        defer { ERR_clear_error() }
        return mam_p256_key(point, point.count)
    }
}
