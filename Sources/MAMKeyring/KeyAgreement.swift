// Sealing to a public key: X25519 with an ephemeral key pair, then HKDF.

internal import MAMCrypto

/// Used for class B's file keys and for recovery records: see docs/FORMAT.md, section 1.3.
enum KeyAgreement {
    /// Generates an ephemeral key, and derives the wrapping key; the private key is erased on
    /// return.
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

    /// Derives the same key with the recipient's private key.
    static func finish(
        _ privateKey: SecretBytes, of recipient: Curve25519.PublicKey,
        ephemeral: Curve25519.PublicKey, info: String
    ) throws(SealError) -> SecretBytes {
        let shared = try Curve25519.sharedSecret(privateKey: privateKey, publicKey: ephemeral)
        do throws(DerivationError) {
            return try derive(shared, ephemeral, recipient, info)
        } catch { throw .failure }
    }

    /// The salt is the ephemeral public key followed by the recipient's.
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
