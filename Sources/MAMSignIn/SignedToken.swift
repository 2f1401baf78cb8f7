// An ID token as it comes: a JSON Web Signature in its compact form (RFC 7515). MAMSignIn is pure:
// bytes, keys and a time in, claims or a refusal out.

internal import MAMCrypto
internal import MAMModel

/// How a token may be signed. Everything else is refused: `none` needs no key, and for HS256 the
/// issuer's public key would be the secret.
enum SigningAlgorithm: String, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
}

/// A token whose signature nobody has checked; it gives nothing away but whom to ask for the key.
package struct SignedToken: Sendable {
    let algorithm: SigningAlgorithm
    /// The key's name; nil if the token has none.
    package let keyID: String?
    private let signedBytes: [UInt8]
    private let signature: [UInt8]
    private let payload: [UInt8]

    /// Ten times the largest that Entra ID makes.
    package static let maximumByteCount = 1 << 16
    private static let maximumHeaderValueCount = 100
    private static let maximumPayloadValueCount = 2000
    private static let maximumKeyIDByteCount = 256

    package init(parsing bytes: [UInt8]) throws(TokenRefusal) {
        guard bytes.count <= Self.maximumByteCount else { throw .malformed("it is too long") }
        let dot = UInt8(ascii: ".")
        let parts = bytes.split(separator: dot, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw .malformed("it has \(parts.count) parts in place of three")
        }
        guard let header = Base64URL.bytes(parts[0]),
            let payload = Base64URL.bytes(parts[1]),
            let signature = Base64URL.bytes(parts[2])
        else { throw .malformed("it is no base64url") }
        self.payload = payload
        self.signature = signature
        signedBytes = Array(bytes[..<parts[1].endIndex])
        let members = try object(
            header, maximumCount: Self.maximumHeaderValueCount, "its header")
        algorithm = try Self.algorithm(members)
        keyID = try optionalText(members["kid"], "its kid", Self.maximumKeyIDByteCount)
    }

    private static func algorithm(
        _ members: [String: JSONValue]
    ) throws(TokenRefusal) -> SigningAlgorithm {
        let name = members["alg"]?.text ?? ""
        guard let algorithm = SigningAlgorithm(rawValue: name) else {
            throw .algorithm(glance(name))
        }
        // An extension that must be understood, and is not.
        guard members["crit"] == nil else { throw .malformed("it has critical extensions") }
        // An access token, for example, proves nothing to us.
        if let type = members["typ"], type.text?.lowercased() != "jwt" {
            throw .malformed("it is no ID token")
        }
        return algorithm
    }

    /// The claims, once one of the keys has signed them, and they are those of this sign-in.
    /// `clock`: seconds since 1970.
    package func person(
        signedBy keys: IssuerKeys, asking question: SignInQuestion, at clock: Int64
    ) throws(TokenRefusal) -> Person {
        let candidates = keys.candidates(for: keyID, algorithm)
        guard !candidates.isEmpty else { throw .unknownKey(glance(keyID ?? "")) }
        guard candidates.contains(where: { $0.hasSigned(signedBytes, with: signature) }) else {
            throw .notSigned
        }
        let members = try object(
            payload, maximumCount: Self.maximumPayloadValueCount, "its payload")
        return try Person(members, asking: question, at: clock)
    }
}

/// The members of a JSON object.
func object(
    _ bytes: [UInt8], maximumCount: Int, _ subject: String
) throws(TokenRefusal) -> [String: JSONValue] {
    guard let members = (try? JSONValue(parsing: bytes, maximumCount: maximumCount))?.object else {
        throw .malformed("\(subject) is no JSON object")
    }
    return members
}

/// Nil for a missing member; refused if it is no text, or too long, or has control characters.
func optionalText(
    _ value: JSONValue?, _ subject: String, _ maximumByteCount: Int
) throws(TokenRefusal) -> String? {
    guard let value else { return nil }
    guard let text = value.text, !text.isEmpty, text.utf8.count <= maximumByteCount,
        text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { throw .malformed("\(subject) is no short text") }
    return text
}
