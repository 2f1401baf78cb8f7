// Signatures of an organisation's documents: Ed25519 (RFC 8032), and SHA-256.

internal import CCrypto
internal import CSodium

/// Ed25519 in libsodium, which refuses signatures and keys that are not canonical.
package enum Ed25519 {
    package static let publicKeyByteCount = 32
    package static let seedByteCount = 32
    package static let signatureByteCount = 64

    /// The public key of a private one, which is a seed of 32 bytes; nil if that is erased.
    package static func publicKey(ofSeed seed: SecretBytes) -> [UInt8]? {
        withExpanded(seed) { publicKey, _ in publicKey }
    }

    /// Nil if the seed is erased.
    package static func sign(_ message: [UInt8], seed: SecretBytes) -> [UInt8]? {
        withExpanded(seed) { _, expanded in
            var signature = [UInt8](repeating: 0, count: signatureByteCount)
            crypto_sign_ed25519_detached(
                &signature, nil, message, UInt64(message.count), expanded)
            return signature
        }
    }

    /// False also for a signature or a key of the wrong length.
    package static func isSigned(
        _ message: [UInt8], with signature: [UInt8], by publicKey: [UInt8]
    ) -> Bool {
        signature.count == signatureByteCount && publicKey.count == publicKeyByteCount
            && crypto_sign_ed25519_verify_detached(
                signature, message, UInt64(message.count), publicKey) == 0
    }

    /// libsodium's form of a private key is the seed and the public key, 64 bytes.
    private static func withExpanded<Result>(
        _ seed: SecretBytes, _ body: ([UInt8], UnsafePointer<UInt8>) -> Result
    ) -> Result? {
        seed.withBytes { bytes in
            guard bytes.count == seedByteCount, let start = octets(bytes.baseAddress) else {
                return nil
            }
            var publicKey = [UInt8](repeating: 0, count: publicKeyByteCount)
            let expanded = SecretBytes(count: seedByteCount + publicKeyByteCount)
            expanded.withMutableBytes { room in
                guard let out = room.baseAddress else { return }
                crypto_sign_ed25519_seed_keypair(&publicKey, octets(out), start)
            }
            return expanded.withBytes { octets($0.baseAddress).map { body(publicKey, $0) } }
        }
    }
}

package enum SHA256 {
    package static let byteCount = 32

    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return digest
    }
}

/// SHA-512/256 (FIPS 180-4): the first half of a SHA-512 that starts from other numbers.
package enum SHA512t256 {
    package static let byteCount = 32

    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        let isDone = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha512_256(), nil)
        precondition(isDone == 1, "OpenSSL has SHA-512/256")
        return digest
    }
}
