// What a NATS server believes about a key: a JWT that the key above it has signed.

internal import MAMCrypto
package import MAMFleet
package import MAMModel

/// A JWT of version 2 (`ed25519-nkey`), as github.com/nats-io/jwt writes it.
package struct Token: Sendable, Equatable {
    /// Three parts of base64url with dots between.
    package let text: String
    package let issuer: NKey
    package let subject: NKey
    package let name: String
    package let kind: Kind
    /// In seconds since 1970, as ``expires``.
    package let issued: Int64
    package let expires: Int64?
    /// The claims of the kind, with `type` and `version`.
    package let claims: [String: JSONValue]

    package enum Kind: String, Sendable, CaseIterable {
        case `operator`, account, user

        /// The role of the keys that may sign it.
        var issuer: NKey.Role { self == .user ? .account : .operator }
        var subject: NKey.Role {
            switch self {
            case .operator: .operator
            case .account: .account
            case .user: .user
            }
        }
    }

    package static let maximumByteCount = 1 << 20
    private static let header = #"{"typ":"JWT","alg":"ed25519-nkey"}"#
    private static let version: Int64 = 2

    /// Nil if the seed is erased. `subject` and `issuer` must have the kind's roles.
    package init?(
        _ kind: Kind, _ subject: NKey, named name: String, _ claims: [String: JSONValue],
        issued: Int64, expires: Int64? = nil, by issuer: NKeySeed
    ) {
        precondition(subject.role == kind.subject && issuer.key.role == kind.issuer)
        let claims = claims.merging([
            "type": .string(kind.rawValue), "version": .integer(Self.version),
        ]) { $1 }
        var members: [String: JSONValue] = [
            "iat": .integer(issued), "iss": .string(issuer.key.description),
            "name": .string(name), "sub": .string(subject.description), "nats": .object(claims),
        ]
        if let expires { members["exp"] = .integer(expires) }
        // Identifies the token, and no more: the signature covers it too.
        members["jti"] = .string(
            Base32.text(SHA512t256.digest(of: JSONValue.object(members).encoded())))
        let signed =
            Base64URL.text(Array(Self.header.utf8)) + "."
            + Base64URL.text(JSONValue.object(members).encoded())
        guard let signature = issuer.sign(Array(signed.utf8)) else { return nil }
        text = signed + "." + Base64URL.text(signature)
        (self.issuer, self.subject, self.name, self.kind) = (issuer.key, subject, name, kind)
        (self.issued, self.expires, self.claims) = (issued, expires, claims)
    }

    /// Verifies the signature of the issuer that the token names. Whether that issuer is trusted,
    /// and whether the token has expired, is for the caller.
    package init(parsing text: String) throws(Refusal) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maximumByteCount, parts.count == 3,
            let header = Base64URL.bytes(parts[0].utf8),
            let payload = Base64URL.bytes(parts[1].utf8),
            let signature = Base64URL.bytes(parts[2].utf8)
        else { throw .malformed("it is no token") }
        guard let json = try? JSONValue(parsing: header),
            json == ["typ": "JWT", "alg": "ed25519-nkey"]
        else { throw .malformed("the token is of another type") }
        guard let members = (try? JSONValue(parsing: payload))?.object,
            let claims = members["nats"]?.object,
            let kind = claims["type"]?.text.flatMap(Kind.init(rawValue:)),
            claims["version"] == .integer(Self.version),
            let issuer = members["iss"]?.text.flatMap(NKey.init), issuer.role == kind.issuer,
            let subject = members["sub"]?.text.flatMap(NKey.init), subject.role == kind.subject,
            let issued = members["iat"]?.integer
        else { throw .malformed("the token's claims are not of version 2") }
        let signed = "\(parts[0]).\(parts[1])"
        guard issuer.hasSigned(Array(signed.utf8), signature) else {
            throw .malformed("the token's issuer has not signed it")
        }
        self.text = text
        (self.issuer, self.subject, self.kind) = (issuer, subject, kind)
        (self.issued, expires, self.claims) = (issued, members["exp"]?.integer, claims)
        name = members["name"]?.text ?? ""
    }
}
