import MAMModel
import MAMSignIn
import Testing

/// Tokens of fixed keys, at a fixed time.
@Suite struct SignedTokenTests {
    private static let question = question()

    private static func question(
        nonce: SignInQuestion.Nonce = .required("the nonce"), client: String = "client",
        issuer: String = "https://issuer.example/tenant", begun: Int64 = Vectors.clock - 60
    ) -> SignInQuestion {
        SignInQuestion(issuer: issuer, clientID: client, nonce: nonce, begun: begun)
    }

    private func person(
        _ token: String, _ keys: String = Vectors.rsaKeys,
        _ question: SignInQuestion = Self.question, at clock: Int64 = Vectors.clock
    ) throws(TokenRefusal) -> Person {
        try SignedToken(parsing: Array(token.utf8)).person(
            signedBy: try IssuerKeys(parsing: Array(keys.utf8)), asking: question, at: clock)
    }

    @Test(arguments: [
        (Vectors.rsaToken, Vectors.rsaKeys), (Vectors.curveToken, Vectors.curveKeys),
    ]) func `a token by either algorithm tells of its person`(
        _ token: String, _ keys: String
    ) throws {
        let person = try person(token, keys)
        #expect(person.subject == "the subject")
        #expect(person.objectID == "11111111-2222-3333-4444-555555555555")
        #expect(person.names == ["ann@contoso.com", "Ann@Contoso.com"])
        #expect(person.groups == ["g-1", "g-2"])
        #expect(person.issued == Vectors.clock && person.nonce == "the nonce")
    }

    @Test(arguments: [
        (Vectors.rsaToken, Vectors.rsaKeys), (Vectors.curveToken, Vectors.curveKeys),
    ]) func `no bit of a token may change`(_ token: String, _ keys: String) throws {
        let parts = token.split(separator: ".").map { Base64URL.bytes($0.utf8) ?? [] }
        try #require(parts.count == 3 && !parts.contains([]))
        for part in parts.indices {
            for bit in 0..<parts[part].count * 8 {
                var changed = parts
                changed[part][bit / 8] ^= 1 << (bit % 8)
                let text = changed.map { Base64URL.text($0) }.joined(separator: ".")
                #expect(throws: TokenRefusal.self) { try person(text, keys) }
            }
            // The unused bits of its last digit, too.
            let digits = Array(token.utf8)
            let dots = digits.indices.filter { digits[$0] == UInt8(ascii: ".") }
            let end = (part == 2 ? digits.count : dots[part]) - 1
            for digit in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
            where digit != digits[end] {
                var other = digits
                other[end] = digit
                #expect(throws: TokenRefusal.self) {
                    try person(String(decoding: other, as: UTF8.self), keys)
                }
            }
        }
        #expect(throws: Never.self) { try person(token, keys) }
    }

    @Test func `any part of a token may be missing, and nothing crashes`() {
        for token in [Vectors.rsaToken, Vectors.curveToken] {
            for length in 0..<token.utf8.count {
                #expect(throws: TokenRefusal.self) { try person(String(token.prefix(length))) }
            }
        }
    }

    @Test func `algorithms without a key of the issuer are refused`() {
        #expect(throws: TokenRefusal.algorithm("none")) { try person(Vectors.unsigned) }
        #expect(throws: TokenRefusal.algorithm("HS256")) { try person(Vectors.byPublicKey) }
        #expect(throws: TokenRefusal.unknownKey("curve-key")) { try person(Vectors.curveToken) }
    }

    @Test func `names are bytes, but for the case of ASCII letters`() {
        #expect(isSameName("Ann@Contoso.com", "ann@contoso.COM"))
        #expect(!isSameName("\u{212A}ate@contoso.com", "kate@contoso.com"))
        #expect(!isSameName("jose\u{301}@contoso.com", "jos\u{e9}@contoso.com"))
    }

    @Test func `what is asked must be answered`() {
        let cases: [(SignInQuestion, TokenRefusal)] = [
            (Self.question(nonce: .required("another")), .otherNonce),
            (Self.question(nonce: .noneOr(nil)), .otherNonce),
            (Self.question(nonce: .noneOr("another")), .otherNonce),
            (Self.question(client: "another"), .otherAudience),
            (
                Self.question(issuer: "https://issuer.example/"),
                .otherIssuer("https://issuer.example/tenant")
            ), (Self.question(begun: Vectors.clock + 601), .issuedBefore(601)),
        ]
        for (question, refusal) in cases {
            #expect(throws: refusal) { try person(Vectors.rsaToken, Vectors.rsaKeys, question) }
        }
        for question in [
            Self.question(nonce: .noneOr("the nonce")), Self.question(begun: Vectors.clock + 600),
            Self.question(issuer: "https://issuer.example/tenant/"),
        ] {
            #expect(throws: Never.self) { try person(Vectors.rsaToken, Vectors.rsaKeys, question) }
        }
        #expect(throws: Never.self) { try person(Vectors.twoAudiences) }
    }

    @Test func `clocks may be five minutes apart`() {
        let question = Self.question(begun: 0)
        func expect(_ refusal: TokenRefusal?, at clock: Int64) {
            let found: TokenRefusal?
            do throws(TokenRefusal) {
                _ = try person(Vectors.rsaToken, Vectors.rsaKeys, question, at: clock)
                found = nil
            } catch { found = error }
            #expect(found == refusal)
        }
        expect(nil, at: Vectors.clock - 300)
        expect(.notYetValid(301), at: Vectors.clock - 301)
        expect(nil, at: Vectors.clock + 3899)
        expect(.expired(300), at: Vectors.clock + 3900)
        expect(.notYetValid(Vectors.clock), at: 0)
        expect(.expired(.max - Vectors.clock - 3600), at: .max)
    }

    @Test func `an account is of the person who signed in to it first`() throws {
        let person = try person(Vectors.rsaToken)
        let oid = "11111111-2222-3333-4444-555555555555"
        #expect(person.has(name: "ANN@contoso.com", objectID: "", subject: nil))
        #expect(person.has(name: "ann@contoso.com", objectID: oid.uppercased(), subject: nil))
        #expect(person.has(name: "", objectID: oid, subject: nil))
        #expect(person.has(name: "former@contoso.com", objectID: oid, subject: "the subject"))
        #expect(!person.has(name: "bob@contoso.com", objectID: "", subject: nil))
        #expect(!person.has(name: "ann@contoso.com", objectID: "another", subject: nil))
        #expect(!person.has(name: "ann@contoso.com", objectID: "", subject: "another"))
        #expect(!person.has(name: "", objectID: "", subject: nil))
        // A name and an object id: a person of that id alone is not one of that name.
        #expect(!person.has(name: "bob@contoso.com", objectID: oid, subject: nil))
    }

    @Test func `without names, ids and groups there is the subject`() throws {
        let question = Self.question(nonce: .noneOr(nil))
        let person = try person(Vectors.onlySubject, Vectors.rsaKeys, question)
        #expect(person.objectID == "the subject" && person.names.isEmpty && person.groups == nil)
        #expect(!person.has(name: "ann@contoso.com", objectID: "", subject: nil))
        #expect(!person.has(name: "the subject", objectID: "", subject: nil))
        let elsewhere = try self.person(Vectors.groupsElsewhere)
        #expect(elsewhere.groups == nil)
    }

    @Test func `huge and deep tokens are refused at once`() {
        let deep = Base64URL.text(Array(String(repeating: "[", count: 20_000).utf8))
        let wide = Base64URL.text(Array("{\"a\":[\(String(repeating: "1,", count: 5000))1]}".utf8))
        let zeros = String(repeating: "A", count: 70_000)
        for token in [
            "", ".", "..", "...", "....", "a.b", "=.=.=", "\(deep).\(deep).AA",
            "\(wide).\(wide).AA",
            "\(zeros).AA.AA", "AA.AA.AA", "e30.e30.AA", "e30.e30.", "eyJhbGciOjF9.e30.AA",
            "eyJhbGciOiJSUzI1NiJ9.e30.AA", "eyJhbGciOiJSUzI1NiJ9.e30.",
            "eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYS1rZXkifQ.e30.AA",
        ] {
            #expect(throws: TokenRefusal.self) { try person(token) }
        }
    }
}

@Suite struct IssuerKeysTests {
    @Test func `keys that cannot verify are left out`() throws {
        let good = try IssuerKeys(parsing: Array(Vectors.rsaKeys.utf8))
        #expect(good.count == 1)
        func count(_ old: String, _ new: String, in keys: String = Vectors.rsaKeys) -> Int {
            #expect(keys.contains(old))
            let text = keys.replacing(old, with: new)
            return (try? IssuerKeys(parsing: Array(text.utf8)))?.count ?? 0
        }
        #expect(count("\"use\":\"sig\"", "\"use\":\"enc\"") == 0)
        #expect(count("\"alg\":\"RS256\"", "\"alg\":\"RS512\"") == 0)
        #expect(count("\"alg\":\"RS256\"", "\"alg\":\"ES256\"") == 0)
        #expect(count("\"kty\":\"RSA\"", "\"kty\":\"EC\"") == 0)
        #expect(count("AQAB", "AQ") == 0)
        #expect(count("AQAB", "Ag") == 0)
        #expect(count("AQAB", "AAEAAQ") == 0)
        #expect(count("\"alg\":\"RS256\"", "\"key_ops\":[\"verify\"]") == 1)
        #expect(count("\"alg\":\"RS256\"", "\"key_ops\":[\"encrypt\"]") == 0)
        #expect(count("P-256", "P-384", in: Vectors.curveKeys) == 0)
        #expect(count("\"x\":\"", "\"x\":\"AA", in: Vectors.curveKeys) == 0)
        #expect(count("\"x\":", "\"z\":", in: Vectors.curveKeys) == 0)
    }

    @Test func `a token without a name for its key needs the only one`() throws {
        let keys = Vectors.rsaKeys.dropLast(2) + "," + Vectors.rsaKeys.dropFirst(9)
        #expect(try IssuerKeys(parsing: Array(keys.utf8)).count == 2)
        let header = Base64URL.text(Array(#"{"alg":"RS256"}"#.utf8))
        let token = try SignedToken(parsing: Array("\(header).e30.AA".utf8))
        let question = SignInQuestion(issuer: "", clientID: "", nonce: .noneOr(nil), begun: 0)
        #expect(throws: TokenRefusal.unknownKey("")) {
            try token.person(
                signedBy: try IssuerKeys(parsing: Array(keys.utf8)), asking: question, at: 0)
        }
        #expect(throws: TokenRefusal.notSigned) {
            try token.person(
                signedBy: try IssuerKeys(parsing: Array(Vectors.rsaKeys.utf8)), asking: question,
                at: 0)
        }
    }
}

@Suite struct Base64URLTests {
    @Test func `all lengths return, and nothing else is read`() {
        for count in 0..<70 {
            let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 250) }
            let text = Base64URL.text(value)
            #expect(!text.contains { "+/=".contains($0) })
            #expect(Base64URL.bytes(text.utf8) == value)
        }
        for text in ["A", "AA=", "AA==", "AB", "AAB", "A+AA", "A/AA", "AAAAA", "ÄÄ", "\n"] {
            #expect(Base64URL.bytes(text.utf8) == nil)
        }
    }
}
