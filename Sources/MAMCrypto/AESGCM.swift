// AES-256-GCM with 16-byte nonces, by whichever library is the fastest here.

/// Why sealing or opening failed.
package enum SealError: Error {
    /// The tag does not verify: other key, nonce, associated data or bytes than were sealed.
    case notAuthentic
    /// The library refused, or the key has been erased.
    case failure
}

/// Sizes of AES-256-GCM as the file formats use it.
package enum AESGCM {
    package static let keyByteCount = 32
    /// Not GCM's usual 12: with 14 random bytes under one key, 2^32 writes stay safe by a wide
    /// margin.
    package static let nonceByteCount = 16
    package static let tagByteCount = 16

    /// A context for `key`; nil if the key is erased or of another length, or the library refuses.
    static func context(for key: SecretBytes, by library: GCMLibrary = .chosen) -> GCMContext? {
        key.withBytes { bytes in
            guard bytes.count == keyByteCount, let start = octets(bytes.baseAddress) else {
                return nil
            }
            return GCMContext(key: start, by: library)
        }
    }
}

// The libraries' parameters are `unsigned char *`; NULL is right for an empty buffer.
func octets(_ start: UnsafeRawPointer?) -> UnsafePointer<UInt8>? {
    start?.assumingMemoryBound(to: UInt8.self)
}

func octets(_ start: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt8> {
    start.assumingMemoryBound(to: UInt8.self)
}
