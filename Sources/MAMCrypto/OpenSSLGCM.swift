// AES-256-GCM by OpenSSL, available everywhere.

internal import CCrypto

/// One EVP_CIPHER_CTX with its key schedule. Not thread-safe; `free()` cleanses it.
///
/// The schedule (and GCM's table) is in OpenSSL's heap, outside the locked memory.
// @unchecked Sendable: a pool hands a context to one session at a time.
package struct OpenSSLGCM: @unchecked Sendable {
    private let raw: OpaquePointer

    // Fetched once: an implicit fetch per use takes OpenSSL's global locks. nonisolated(unsafe):
    // never written again, and all threads may share a fetched EVP_CIPHER.
    private static nonisolated(unsafe) let cipher: OpaquePointer? =
        EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    /// Nil if OpenSSL fails. `key`: 32 bytes.
    init?(key: UnsafePointer<UInt8>) {
        guard let cipher = Self.cipher, let raw = mam_gcm_new(cipher, key) else { return nil }
        self.raw = raw
    }

    var word: UInt { UInt(bitPattern: raw) }

    /// The inverse of ``word``.
    init?(word: UInt) {
        guard let raw = OpaquePointer(bitPattern: word) else { return nil }
        self.raw = raw
    }

    func free() { EVP_CIPHER_CTX_free(raw) }

    func seal(
        _ plain: UnsafeRawBufferPointer, nonce: UnsafeRawPointer,
        associatedData: UnsafeRawBufferPointer, into ciphertext: UnsafeMutableRawPointer,
        tag: UnsafeMutableRawPointer
    ) throws(SealError) {
        let done = mam_gcm_seal(
            raw, octets(plain.baseAddress), Int32(plain.count), octets(nonce),
            octets(associatedData.baseAddress), Int32(associatedData.count),
            octets(ciphertext), octets(tag))
        guard done == 1 else {
            // Must leave neither a half-written block that looks like ciphertext nor plaintext.
            OPENSSL_cleanse(ciphertext, plain.count)
            throw .failure
        }
    }

    func open(
        _ ciphertext: UnsafeRawBufferPointer, nonce: UnsafeRawPointer,
        associatedData: UnsafeRawBufferPointer, tag: UnsafeRawPointer,
        into plain: UnsafeMutableRawPointer
    ) throws(SealError) {
        let done = mam_gcm_open(
            raw, octets(ciphertext.baseAddress), Int32(ciphertext.count), octets(nonce),
            octets(associatedData.baseAddress), Int32(associatedData.count), octets(tag),
            octets(plain))
        guard done == 1 else {
            OPENSSL_cleanse(plain, ciphertext.count)
            throw done == 0 ? .notAuthentic : .failure
        }
    }
}
