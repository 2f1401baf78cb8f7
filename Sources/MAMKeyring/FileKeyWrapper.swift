// What a new or re-keyed file's header needs.

package import MAMCrypto
package import MAMFormat
package import MAMModel

/// Wraps one file key into one header. Take a new one for every header: class B's ephemeral key is
/// in it.
///
/// The header's `keyID` and `ephemeralKey` come first, as they are part of what the wrap
/// authenticates.
package struct FileKeyWrapper: Sendable {
    /// The class key that wraps.
    package let keyID: KeyID
    /// Class B: the ephemeral public key; zero otherwise.
    package let ephemeralKey: EphemeralKey
    let wrappingKey: SecretBytes

    /// Wraps a key of 32 bytes into 64: nonce 16 | key 32 | tag 16. The nonce is drawn here.
    ///
    /// ``SealError/failure`` if the window closed meanwhile.
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

    /// The key that opens what ``wrapper(keyID:publicKey:)`` wrapped.
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
