// Wraps a file's key into its header.

package import MAMCrypto
package import MAMFormat
package import MAMModel

/// Wraps one file key into one header. Use a new one for every header, because it contains class
/// B's ephemeral key.
///
/// Set the header's `keyID` and `ephemeralKey` first: the wrap authenticates them.
package struct FileKeyWrapper: Sendable {
    /// The wrapping class key.
    package let keyID: KeyID
    /// Class B: the ephemeral public key; zero otherwise.
    package let ephemeralKey: EphemeralKey
    let wrappingKey: SecretBytes

    /// Wraps a 32-byte key into 64 bytes: nonce 16 | key 32 | tag 16, under a fresh nonce.
    ///
    /// ``SealError/failure`` if the window has closed meanwhile.
    package func wrap(
        _ key: SecretBytes, associatedData: UnsafeRawBufferPointer,
        into wrapped: UnsafeMutableRawBufferPointer
    ) throws(SealError) {
        try KeyWrap.wrap(key, under: wrappingKey, associatedData: associatedData, into: wrapped)
    }
}

/// Class B's key agreement: see docs/FORMAT.md, section 1.3.
enum ClassBKey {
    private static let info = "mamd file key B v1"

    /// A wrapper with a new ephemeral key.
    static func wrapper(
        keyID: KeyID, publicKey: Curve25519.PublicKey
    ) throws(KeyringError) -> FileKeyWrapper {
        let (ephemeral, key) = try KeyAgreement.start(with: publicKey, info: info)
        return FileKeyWrapper(
            keyID: keyID, ephemeralKey: EphemeralKey(ephemeral), wrappingKey: key)
    }

    /// The key that unwraps what ``wrapper(keyID:publicKey:)`` wrapped.
    static func unwrappingKey(
        privateKey: SecretBytes, publicKey: Curve25519.PublicKey, ephemeral: EphemeralKey
    ) throws(SealError) -> SecretBytes {
        try KeyAgreement.finish(
            privateKey, of: publicKey, ephemeral: ephemeral.publicKey, info: info)
    }
}

extension EphemeralKey {
    init(_ key: Curve25519.PublicKey) {
        self = key.withBytes { EphemeralKey(reading: $0.bytes, at: 0) }
    }

    var publicKey: Curve25519.PublicKey {
        var bytes: InlineArray<32, UInt8> = .init(repeating: 0)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        write(to: &raw, at: 0)
        return .init(reading: raw.bytes, at: 0)
    }
}
