// AES-256-GCM with 16-byte nonces, by the fastest library available.

/// Why sealing or opening failed.
package enum SealError: Error {
    /// The tag does not verify: a different key, nonce, associated data or ciphertext.
    case notAuthentic
    /// The library failed, or the key has been erased.
    case failure
}

/// Sizes of AES-256-GCM as the file formats use it.
package enum AESGCM {
    package static let keyByteCount = 32
    /// GCM's usual 12 bytes would be too few: with 14 random bytes, 2^32 writes under one key stay
    /// safe by a wide margin.
    package static let nonceByteCount = 16
    package static let tagByteCount = 16

    /// A context for `key`; nil if the key is erased or of the wrong length, or the library fails.
    static func context(for key: SecretBytes, by library: GCMLibrary = .chosen) -> GCMContext? {
        key.withBytes { bytes in
            guard bytes.count == keyByteCount, let start = octets(bytes.baseAddress) else {
                return nil
            }
            return GCMContext(key: start, by: library)
        }
    }
}

// The libraries take `unsigned char *`; NULL is valid for an empty buffer.
func octets(_ start: UnsafeRawPointer?) -> UnsafePointer<UInt8>? {
    start?.assumingMemoryBound(to: UInt8.self)
}

func octets(_ start: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt8> {
    start.assumingMemoryBound(to: UInt8.self)
}
