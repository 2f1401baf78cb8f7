import MAMCrypto
import MAMModel
import TestSupport
import Testing

@testable import MAMEngine

/// Made with nkeys 0.2.1 of PyPI, from 32 bytes that count upwards; and its signature of `hello`.
private struct Vector: Sendable {
    let role: NKey.Role
    let seed: String
    let key: String
    let signature: String
}

private let vectors = [
    Vector(
        role: .operator, seed: "SOAAAAICAMCAKBQHBAEQUCYMBUHA6EARCIJRIFIWC4MBSGQ3DQOR4H2AJA",
        key: "OAB2CB576PHBBPQ5ODORRZ2LYCMWPZGWGCN2KDK7DXOIMZASKUY3QZVT",
        signature: "4af8qUqDUSeIW5ni66cz1u5b9dxGPtg4Xrbx3KoRF8Dx"
            + "UXUKEPRvWzeWqRIDV49wLIXGfDNLVomlFihNSZ9xDw=="),
    Vector(
        role: .account, seed: "SAAAAAICAMCAKBQHBAEQUCYMBUHA6EARCIJRIFIWC4MBSGQ3DQOR4HYMHI",
        key: "AAB2CB576PHBBPQ5ODORRZ2LYCMWPZGWGCN2KDK7DXOIMZASKUY3QPZV",
        signature: "4af8qUqDUSeIW5ni66cz1u5b9dxGPtg4Xrbx3KoRF8Dx"
            + "UXUKEPRvWzeWqRIDV49wLIXGfDNLVomlFihNSZ9xDw=="),
    Vector(
        role: .user, seed: "SUAAMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUPB6IBBEIRSIJKNXA",
        key: "UCVKH7WUWDYUXITU7KSYG7DYV3AO5H42WXFGNOL3IIA3Q5PWVCLMUQ6H",
        signature: "bNS5eaIIXPSYGWpANdVsul5RLSklRcqSqA5Jq/jPAg8+"
            + "V2lK3bnrIGj9C97JGWd9PBHMy8ar75Z/M4No4UTCCQ=="),
    Vector(
        role: .server, seed: "SNAAMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUPB6IBBEIRSIJPRUM",
        key: "NCVKH7WUWDYUXITU7KSYG7DYV3AO5H42WXFGNOL3IIA3Q5PWVCLMUJCM",
        signature: "bNS5eaIIXPSYGWpANdVsul5RLSklRcqSqA5Jq/jPAg8+"
            + "V2lK3bnrIGj9C97JGWd9PBHMy8ar75Z/M4No4UTCCQ=="),
]

@Suite struct NKeyTests {
    @Test(arguments: vectors) private func `seeds and keys are those of another program`(
        _ vector: Vector
    ) throws {
        let seed = try NKeySeed(parsing: secret(vector.seed), vector.role)
        #expect(seed.key.description == vector.key)
        #expect(NKey(vector.key) == seed.key)
        #expect(revealed(seed.text) == vector.seed)
        #expect(seed.sign(Array("hello".utf8)) == bytes(base64: vector.signature))
        #expect(seed.key.hasSigned(Array("hello".utf8), bytes(base64: vector.signature) ?? []))
    }

    @Test(arguments: NKey.Role.allCases) func `new keys are read as they are written`(
        _ role: NKey.Role
    ) throws {
        let seed = NKeySeed(random: role)
        #expect(try NKeySeed(parsing: seed.text, role).key == seed.key)
        #expect(NKey(seed.key.description) == seed.key)
        #expect(seed.key.description.utf8.count == NKey.textByteCount)
        #expect(seed.text.count == NKeySeed.textByteCount)
    }

    /// Of 58 and 56 digits: a mistake in any of them.
    @Test(arguments: vectors) private func `every mistyped digit is found`(
        _ vector: Vector
    ) {
        for at in 0..<NKey.textByteCount {
            #expect(NKey(mistyped(vector.key, at)) == nil)
        }
        for at in 0..<NKeySeed.textByteCount {
            #expect(throws: NKeySeed.Malformed.self) {
                try NKeySeed(parsing: secret(mistyped(vector.seed, at)), vector.role)
            }
        }
    }

    private func mistyped(_ text: String, _ at: Int) -> String {
        var bytes = Array(text.utf8)
        bytes[at] = bytes[at] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `other kinds, lengths and alphabets are refused`() {
        func failure(_ text: String, _ role: NKey.Role = .user) -> NKeySeed.Malformed? {
            do throws(NKeySeed.Malformed) {
                _ = try NKeySeed(parsing: secret(text), role)
                return nil
            } catch { return error }
        }
        #expect(failure(vectors[1].seed) == .otherRole(.account))
        #expect(failure(vectors[2].seed + "A") == .notASeed)
        #expect(failure("") == .notASeed)
        #expect(failure(vectors[2].key) == .notASeed)
        #expect(failure(String(vectors[2].seed.dropLast()) + "B") == .notASeed)
        #expect(failure(vectors[2].seed.lowercased()) == .notASeed)
        #expect(failure(mistyped(vectors[2].seed, 30)) == .wrongChecksum)
        for text in ["", "U", vectors[2].key + "A", vectors[2].seed, vectors[2].key.lowercased()] {
            #expect(NKey(text) == nil)
        }
    }

    /// The check value of CRC-16/XMODEM.
    @Test func `the checksum is CRC-16 XMODEM`() {
        #expect(Array("123456789".utf8).withUnsafeBytes { crc16($0) } == 0x31C3)
    }

    @Test func `an erased seed signs nothing`() throws {
        let text = secret(vectors[2].seed)
        text.erase()
        #expect(throws: NKeySeed.Malformed.self) { try NKeySeed(parsing: text, .user) }
    }
}

@Suite struct Base64URLTests {
    /// RFC 4648, section 10, without padding; and the two digits that base64 writes otherwise.
    @Test func `base64url is that of RFC 4648`() {
        for (text, encoded) in [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64URL.text(Array(text.utf8)) == encoded)
            #expect(Base64URL.bytes(encoded.utf8) == Array(text.utf8))
        }
        #expect(Base64URL.text([0xFB, 0xFF]) == "-_8")
        for text in ["Zh", "Zg==", "Z", "Zm9", "+/8", "Zm9v\n", "Zm 9v"] {
            #expect(Base64URL.bytes(text.utf8) == nil, "\(text)")
        }
    }

    @Test func `base32 is that of RFC 4648`() {
        for (text, encoded) in [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
        ] { #expect(Base32.text(Array(text.utf8)) == encoded) }
    }
}
