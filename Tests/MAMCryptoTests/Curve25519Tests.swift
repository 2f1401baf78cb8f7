import MAMCrypto
import Testing

@Suite struct Curve25519Tests {
    /// RFC 7748, section 5.2, first vector; and section 6.1, Bob's half.
    @Test(arguments: [
        (
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
        ),
        (
            "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
            "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
            "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
        ),
    ])
    func `X25519 gives the RFC's answers`(_ scalar: String, _ point: String, _ expected: String)
        throws
    {
        let shared = try Curve25519.sharedSecret(
            privateKey: secret(bytes(scalar)), publicKey: publicKey(point))
        #expect(hex(shared) == expected)
    }

    @Test func `the public half is the RFC's`() throws {
        let pair = try Curve25519.KeyPair(
            privateKey: secret(
                bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")))
        let expected = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
        #expect(pair.publicKey == publicKey(expected))
        #expect(pair.publicKey.withBytes { hex($0) } == expected)
        var written = [UInt8](repeating: 0xEE, count: 34)
        var span = written.mutableSpan
        var raw = span.mutableBytes
        pair.publicKey.write(to: &raw, at: 1)
        #expect(hex(written) == "ee\(expected)ee")
    }

    @Test func `both sides reach the same secret`() throws {
        let one = try Curve25519.KeyPair.random()
        let two = try Curve25519.KeyPair.random()
        let left = try Curve25519.sharedSecret(
            privateKey: one.privateKey, publicKey: two.publicKey)
        let right = try Curve25519.sharedSecret(
            privateKey: two.privateKey, publicKey: one.publicKey)
        #expect(left.equals(right))
    }

    /// Points of small order: 0, 1, and the one of order 8 from RFC 7748's security notes.
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    ])
    func `a public key that leads to zeros is refused`(_ point: String) throws {
        let pair = try Curve25519.KeyPair.random()
        #expect(throws: SealError.notAuthentic) {
            try Curve25519.sharedSecret(
                privateKey: pair.privateKey, publicKey: publicKey(point))
        }
    }

    @Test func `an erased private key is refused`() throws {
        let pair = try Curve25519.KeyPair.random()
        pair.privateKey.erase()
        #expect(throws: SealError.failure) {
            try Curve25519.sharedSecret(privateKey: pair.privateKey, publicKey: pair.publicKey)
        }
        #expect(throws: SealError.failure) {
            try Curve25519.KeyPair(privateKey: pair.privateKey)
        }
    }

    private func publicKey(_ hex: String) -> Curve25519.PublicKey {
        Curve25519.PublicKey(reading: bytes(hex).span.bytes, at: 0)
    }
}
