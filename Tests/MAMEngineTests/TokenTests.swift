import MAMCrypto
import MAMFleet
import MAMModel
import TestSupport
import Testing

@testable import MAMEngine

@Suite struct TokenTests {
    let owner = NKeySeed(random: .operator)
    let account = NKeySeed(random: .account)
    let user = NKeySeed(random: .user)
    let now: Int64 = 1_780_000_000

    private func token(expires: Int64? = nil) throws -> Token {
        try #require(
            Token.forUser(
                user.key, named: "m", .machine(Bytes16(high: 1, low: 2)), issued: now,
                expires: expires, by: account))
    }

    /// FIPS 180-4's example.
    @Test func `SHA-512-256 is that of the standard`() {
        #expect(
            hexadecimal(SHA512t256.digest(of: Array("abc".utf8)))
                == "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23")
    }

    @Test func `a token is read as it is written`() throws {
        let token = try token(expires: now + 60)
        #expect(try Token(parsing: token.text) == token)
        #expect(token.issuer == account.key)
        #expect(token.expires == now + 60)
        let parts = token.text.split(separator: ".")
        #expect(
            String(decoding: Base64URL.bytes(parts[0].utf8) ?? [], as: UTF8.self)
                == #"{"typ":"JWT","alg":"ed25519-nkey"}"#)
        var claims = try #require(
            (try JSONValue(parsing: Base64URL.bytes(parts[1].utf8) ?? [])).object)
        let id = try #require(claims.removeValue(forKey: "jti")?.text)
        #expect(id == Base32.text(SHA512t256.digest(of: JSONValue.object(claims).encoded())))
        #expect(claims["nats"]?.object?["version"] == 2)
    }

    @Test func `what the issuer has not signed is refused`() throws {
        let parts = try token().text.split(separator: ".").map(String.init)
        let other = try #require(
            Token.forUser(
                user.key, named: "m", .all, issued: now, by: NKeySeed(random: .account)))
        let theirs = other.text.split(separator: ".").map(String.init)
        for text in [
            "", "a.b.c", "\(parts[0]).\(parts[1])", "\(parts[0]).\(theirs[1]).\(parts[2])",
            "\(parts[0]).\(parts[1]).\(theirs[2])", "\(parts[0]).\(parts[1]).",
            "\(Base64URL.text(Array(#"{"typ":"JWT","alg":"none"}"#.utf8))).\(parts[1]).",
        ] {
            #expect(throws: Refusal.self, "\(text)") { try Token(parsing: text) }
        }
    }

    @Test func `users sign no tokens for users, nor operators`() throws {
        // As if a user's key were an account's.
        let claims: [String: JSONValue] = [
            "iat": 1, "iss": .string(user.key.description), "sub": .string(user.key.description),
            "name": "x", "nats": ["type": "user", "version": 2],
        ]
        let signed =
            Base64URL.text(Array(#"{"typ":"JWT","alg":"ed25519-nkey"}"#.utf8)) + "."
            + Base64URL.text(JSONValue.object(claims).encoded())
        let signature = try #require(user.sign(Array(signed.utf8)))
        #expect(throws: Refusal.self) {
            try Token(parsing: signed + "." + Base64URL.text(signature))
        }
    }

    @Test func `an account's token lists the revoked`() throws {
        let token = try #require(
            Token.forAccount(
                account.key, named: "fleet", streams: 6, revoked: [user.key: now],
                issued: now, by: owner))
        #expect(try Token(parsing: token.text).revoked == [user.key: now])
    }

    @Test func `credentials are read as they are written`() throws {
        let credentials = Credentials(try token(), user)
        let read = try Credentials(parsing: credentials.text)
        #expect(read.token == credentials.token)
        #expect(read.seed.key == user.key)
        let text = revealed(credentials.text)
        let swapped = text.replacing(
            revealed(user.text), with: revealed(NKeySeed(random: .user).text))
        #expect(throws: Refusal.self) { try Credentials(parsing: secret(swapped)) }
        #expect(throws: Refusal.self) { try Credentials(parsing: secret("")) }
        #expect(throws: Refusal.self) {
            try Credentials(parsing: secret(String(text.prefix(text.utf8.count / 2))))
        }
    }

    @Test func `a machine may read its own documents alone`() {
        let (one, other) = (Bytes16(high: 1, low: 1), Bytes16(high: 2, low: 2))
        let allowed = Permissions.machine(one)
        for subject in allowed.publish + allowed.subscribe {
            #expect(!subject.contains(other.description) && subject != ">")
            #expect(!subject.hasPrefix("docs.m.*") && !subject.contains(".STREAM."))
        }
        #expect(allowed.subscribe.contains("docs.m.\(one)"))
        #expect(!Permissions.invitation(one).subscribe.contains { $0.hasPrefix("docs.m") })
        #expect(Subject.group("a.b-c") == "docs.g.a=b-c")
    }
}
