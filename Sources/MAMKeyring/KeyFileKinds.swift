// Recovery keys and signing keys.

package import MAMCrypto
package import MAMFormat

/// Opens the recovery records of an organisation's accounts.
package typealias RecoveryKeyFile = PrivateKeyFile<RecoveryKey>
/// Signs an organisation's documents.
package typealias SigningKeyFile = PrivateKeyFile<SigningKey>

package enum RecoveryKey: KeyFileKind {
    package typealias Use = RecoveryKeyUse
    /// `\x89MAMO\r\n\x1a`
    package static let magic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x4F, 0x0D, 0x0A, 0x1A]
    package static let info = "mamd recovery key v1"
    package static let name = "recovery key"
    package static let verb = "recovery keygen"

    package static func pair(of privateKey: SecretBytes) -> Curve25519.KeyPair? {
        try? Curve25519.KeyPair(privateKey: privateKey)
    }

    package static func publicKey(of pair: Curve25519.KeyPair) -> RecoveryPublicKey? {
        RecoveryPublicKey(pair.publicKey)
    }
}

/// The private half is Ed25519's seed.
package enum SigningKey: KeyFileKind {
    package typealias Use = SigningKeyUse
    /// `\x89MAMS\r\n\x1a`
    package static let magic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x53, 0x0D, 0x0A, 0x1A]
    package static let info = "mamd signing key v1"
    package static let name = "signing key"
    package static let verb = "fleet keygen"

    package static func pair(of privateKey: SecretBytes) -> SecretBytes? {
        Ed25519.publicKey(ofSeed: privateKey).map { _ in privateKey }
    }

    package static func publicKey(of seed: SecretBytes) -> SigningPublicKey? {
        Ed25519.publicKey(ofSeed: seed).map { SigningPublicKey(reading: $0.span.bytes, at: 0) }
    }
}
