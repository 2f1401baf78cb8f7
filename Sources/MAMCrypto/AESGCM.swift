// AES-256-GCM with 16-byte nonces: the owner of OpenSSL's contexts.

internal import CCrypto

/// Why sealing or opening failed.
package enum SealError: Error {
    /// The tag does not verify: other key, nonce, associated data or bytes than were sealed.
    case notAuthentic
    /// OpenSSL refused, or the key has been erased.
    case failure
}

/// Sizes of AES-256-GCM as the file formats use it.
package enum AESGCM {
    package static let keyByteCount = 32
    /// Not GCM's usual 12: with 14 random bytes under one key, 2^32 writes stay safe by a wide margin.
    package static let nonceByteCount = 16
    package static let tagByteCount = 16

    // Fetched once: an implicit fetch at each use takes OpenSSL's global locks. nonisolated(unsafe): never
    // written again, and a fetched EVP_CIPHER may be used by all threads.
    private static nonisolated(unsafe) let cipher: OpaquePointer? =
        EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    /// A context for `key`; nil if the key is erased or of another length, or OpenSSL refuses.
    static func context(for key: SecretBytes) -> Context? {
        key.withBytes { bytes -> Context? in
            guard bytes.count == keyByteCount, let cipher, let start = bytes.baseAddress,
                let raw = mam_gcm_new(cipher, start.assumingMemoryBound(to: UInt8.self))
            else { return nil }
            return Context(raw: raw)
        }
    }

    /// One EVP_CIPHER_CTX with its key schedule. Not thread-safe; `free()` cleanses it.
    ///
    /// The schedule (and GCM's table) is in OpenSSL's heap, outside the locked memory.
    // @unchecked Sendable: a pool hands a context to one session at a time.
    struct Context: @unchecked Sendable {
        let raw: OpaquePointer

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
                // A half-written block must not look like ciphertext, nor stay plain.
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

    // OpenSSL's parameters are `unsigned char *`; NULL is right for an empty buffer.
    private static func octets(_ start: UnsafeRawPointer?) -> UnsafePointer<UInt8>? {
        start?.assumingMemoryBound(to: UInt8.self)
    }

    private static func octets(_ start: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt8> {
        start.assumingMemoryBound(to: UInt8.self)
    }
}
