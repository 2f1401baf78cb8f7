// Sealing to a public key: X25519 with a key pair for this once, then HKDF.

internal import MAMCrypto

/// What class B's file keys and recovery records share: see docs/FORMAT.md, section 1.3.
enum KeyAgreement {
    /// A new ephemeral key, and what it wraps with; its private half is gone when this returns.
    static func start(
        with recipient: Curve25519.PublicKey, info: String
    ) throws(KeyringError) -> (ephemeral: Curve25519.PublicKey, key: SecretBytes) {
        do {
            let pair = try Curve25519.KeyPair.random()
            let shared = try Curve25519.sharedSecret(
                privateKey: pair.privateKey, publicKey: recipient)
            let key = try derive(shared, pair.publicKey, recipient, info)
            return (pair.publicKey, key)
        } catch { throw .cipher }
    }

    /// The same key, from the recipient's side.
    static func finish(
        _ privateKey: SecretBytes, of recipient: Curve25519.PublicKey,
        ephemeral: Curve25519.PublicKey, info: String
    ) throws(SealError) -> SecretBytes {
        let shared = try Curve25519.sharedSecret(privateKey: privateKey, publicKey: ephemeral)
        do throws(DerivationError) {
            return try derive(shared, ephemeral, recipient, info)
        } catch { throw .failure }
    }

    /// The salt is the ephemeral public key, then the recipient's.
    private static func derive(
        _ shared: SecretBytes, _ ephemeral: Curve25519.PublicKey,
        _ recipient: Curve25519.PublicKey, _ info: String
    ) throws(DerivationError) -> SecretBytes {
        var salt: InlineArray<64, UInt8> = .init(repeating: 0)
        var span = salt.mutableSpan
        var raw = span.mutableBytes
        ephemeral.write(to: &raw, at: 0)
        recipient.write(to: &raw, at: 32)
        return try withUnsafeBytes(of: &salt) { salt throws(DerivationError) in
            try Derivation.hkdf(input: shared, salt: salt, info: info)
        }
    }
}
