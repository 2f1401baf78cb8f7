// X25519 (RFC 7748), for files that are created while their private key is unavailable.

internal import CSodium

/// Diffie-Hellman on Curve25519.
package enum Curve25519 {
    /// The length of either key and of a shared secret.
    package static let byteCount = 32

    /// A public key. The value's memory is the 32 bytes in file order.
    package struct PublicKey: Sendable, Hashable {
        private var words: InlineWords

        // Four words, because an InlineArray is not Hashable.
        private struct InlineWords: Hashable {
            var first: UInt64 = 0
            var second: UInt64 = 0
            var third: UInt64 = 0
            var fourth: UInt64 = 0
        }

        /// A header's placeholder for no key.
        package static let zero = PublicKey()

        private init() { words = InlineWords() }

        /// Accepts any 32 bytes; ``Curve25519/sharedSecret(privateKey:publicKey:)`` rejects weak
        /// keys.
        package init(reading bytes: RawSpan, at offset: Int) {
            words = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: InlineWords.self)
        }

        /// Writes the 32 bytes.
        package func write(to bytes: inout MutableRawSpan, at offset: Int) {
            bytes.storeBytes(of: words.first, toByteOffset: offset, as: UInt64.self)
            bytes.storeBytes(of: words.second, toByteOffset: offset + 8, as: UInt64.self)
            bytes.storeBytes(of: words.third, toByteOffset: offset + 16, as: UInt64.self)
            bytes.storeBytes(of: words.fourth, toByteOffset: offset + 24, as: UInt64.self)
        }

        /// Lends the 32 bytes.
        package func withBytes<Result, Failure: Error>(
            _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try withUnsafeBytes(of: words, body)
        }

        fileprivate init(filling: (UnsafeMutableRawBufferPointer) -> Bool) throws(SealError) {
            var words = InlineWords()
            guard withUnsafeMutableBytes(of: &words, filling) else { throw .failure }
            self.words = words
        }
    }

    /// Both halves.
    package struct KeyPair: Sendable {
        package let privateKey: SecretBytes
        package let publicKey: PublicKey

        /// Generates a key pair.
        package static func random() throws(SealError) -> KeyPair {
            try KeyPair(privateKey: .random(count: byteCount))
        }

        /// Computes the public key; ``SealError/failure`` if the private key is erased or not 32
        /// bytes.
        package init(privateKey: SecretBytes) throws(SealError) {
            self.privateKey = privateKey
            publicKey = try privateKey.withBytes { scalar throws(SealError) in
                guard scalar.count == byteCount else { throw .failure }
                return try PublicKey { mam_x25519_public($0.baseAddress, scalar.baseAddress) == 0 }
            }
        }
    }

    /// The 32-byte shared secret; ``SealError/notAuthentic`` for a public key that yields zeros,
    /// which would be no secret. Pass it through ``Derivation/hkdf(input:salt:info:)``.
    package static func sharedSecret(
        privateKey: SecretBytes, publicKey: PublicKey
    ) throws(SealError) -> SecretBytes {
        try privateKey.withBytes { scalar throws(SealError) in
            guard scalar.count == byteCount else { throw .failure }
            return try publicKey.withBytes { point throws(SealError) in
                try SecretBytes(count: byteCount) { output throws(SealError) in
                    guard mam_x25519(output.baseAddress, scalar.baseAddress, point.baseAddress) == 0
                    else { throw .notAuthentic }
                }
            }
        }
    }
}
