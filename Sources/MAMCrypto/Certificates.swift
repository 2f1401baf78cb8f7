// TLS certificates of servers that an organisation runs itself.

internal import CCrypto

private let secondsPerDay = 86_400

/// A certificate in PEM, and its private key.
package struct Certified: Sendable {
    package let certificate: [UInt8]
    /// In PEM.
    package let key: SecretBytes
}

/// Vouches for servers. Its key is on P-256, as all.
package struct CertificateAuthority: Sendable {
    /// In PEM.
    package let certificate: [UInt8]
    private let key: SecretBytes

    package enum Failure: Error { case openssl, notAnAuthority }

    package static let validDays = 3650
    package static let serverValidDays = 1095

    /// A new one.
    package static func make(named name: String) throws(Failure) -> Certified {
        try certified { key in
            mam_certificate(key, name, nil, nil, key, validDays * secondsPerDay)
        }
    }

    /// `key`: in PEM.
    package init(certificate: [UInt8], key: SecretBytes) throws(Failure) {
        (self.certificate, self.key) = (certificate, key)
        guard let pair = Pair(certificate, key), pair.isAuthority else { throw .notAnAuthority }
    }

    /// For a server of these names: `DNS:a,IP:b`, of characters without meaning to OpenSSL.
    package func certify(
        named name: String, alternatives: String, days: Int = serverValidDays
    ) throws(Failure) -> Certified {
        guard let pair = Pair(certificate, key) else { throw .notAnAuthority }
        return try Self.certified { key in
            mam_certificate(
                key, name, alternatives, pair.certificate, pair.key, days * secondsPerDay)
        }
    }

    /// Signs the next authority's key with this one's: a certificate in PEM, by which machines that
    /// believe this authority believe that one (``isAuthority(_:by:of:)``).
    package func vouch(for next: Certified, named name: String) throws(Failure) -> [UInt8] {
        guard let mine = Pair(certificate, key), let other = Pair(next.certificate, next.key)
        else { throw .notAnAuthority }
        let days = Self.validDays * secondsPerDay
        guard
            let made = mam_certificate(other.key, name, nil, mine.certificate, mine.key, days)
        else { throw .openssl }
        defer { X509_free(made) }
        guard let pem = mam_certificate_pem(made) else { throw .openssl }
        defer { BIO_free(pem) }
        return Self.withBytes(of: pem) { Array($0) }
    }

    private static func certified(
        _ sign: (_ key: OpaquePointer) -> OpaquePointer?
    ) throws(Failure) -> Certified {
        guard let key = mam_p256_new() else { throw .openssl }
        defer { EVP_PKEY_free(key) }
        guard let made = sign(key) else { throw .openssl }
        defer { X509_free(made) }
        guard let certificatePEM = mam_certificate_pem(made) else { throw .openssl }
        defer { BIO_free(certificatePEM) }
        guard let keyPEM = mam_key_pem(key) else { throw .openssl }
        defer { BIO_free(keyPEM) }
        return Certified(
            certificate: withBytes(of: certificatePEM) { Array($0) },
            key: withBytes(of: keyPEM) { SecretBytes(copying: $0) })
    }

    private static func withBytes<Value>(
        of bio: OpaquePointer, _ body: (UnsafeRawBufferPointer) -> Value
    ) -> Value {
        var start: UnsafeRawPointer?
        let count = mam_bio_bytes(bio, &start)
        return body(UnsafeRawBufferPointer(start: start, count: count))
    }
}

/// The last second of a certificate in PEM, since 1970; nil if it is none.
package func certificateEnd(_ pem: [UInt8]) -> Int64? {
    guard let found = mam_read_certificate(pem, pem.count) else { return nil }
    defer { X509_free(found) }
    let end = mam_certificate_end(found)
    return end < 0 ? nil : Int64(end)
}

/// Whether one of the authorities has signed `link`, a certificate for the key of the authority
/// `next`. All in PEM.
package func isAuthority(_ next: [UInt8], by link: [UInt8], of authorities: [[UInt8]]) -> Bool {
    guard let other = mam_read_certificate(next, next.count) else { return false }
    defer { X509_free(other) }
    guard let made = mam_read_certificate(link, link.count) else { return false }
    defer { X509_free(made) }
    return authorities.contains { pem in
        guard let authority = mam_read_certificate(pem, pem.count) else { return false }
        defer { X509_free(authority) }
        return mam_vouches(authority, made, other) == 1
    }
}

/// OpenSSL's form of both, freed with it.
private struct Pair: ~Copyable {
    let certificate: OpaquePointer
    let key: OpaquePointer

    init?(_ certificate: [UInt8], _ key: SecretBytes) {
        guard let found = mam_read_certificate(certificate, certificate.count) else { return nil }
        guard let secret = key.withBytes({ mam_read_key($0.baseAddress, $0.count) }) else {
            X509_free(found)
            return nil
        }
        (self.certificate, self.key) = (found, secret)
    }

    var isAuthority: Bool { mam_is_authority(certificate, key) == 1 }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }
}
