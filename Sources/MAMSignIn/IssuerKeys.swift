// The keys with which an issuer signs tokens: a JSON Web Key Set (RFC 7517).

internal import MAMCrypto
internal import MAMModel

/// Those of the set that can verify a token; others, for encryption say, are left out.
package struct IssuerKeys: Sendable, Equatable {
    private let keys: [Key]

    package static let none = IssuerKeys(keys: [])

    /// Entra ID's sets have 10 KiB.
    package static let maximumByteCount = 1 << 18
    private static let maximumValueCount = 5000
    private static let maximumKeyCount = 100

    struct Key: Sendable, Equatable {
        let id: String?
        let algorithm: SigningAlgorithm
        /// Modulus and exponent, or both coordinates.
        let numbers: [[UInt8]]
    }

    private init(keys: [Key]) { self.keys = keys }

    /// Refused if no key of it is usable: that is no set of an issuer that signs tokens.
    package init(parsing bytes: [UInt8]) throws(TokenRefusal) {
        guard bytes.count <= Self.maximumByteCount else { throw .malformed("they are too long") }
        let members = try object(bytes, maximumCount: Self.maximumValueCount, "the key set")
        guard let found = members["keys"]?.array, found.count <= Self.maximumKeyCount else {
            throw .malformed("the key set has no list of at most \(Self.maximumKeyCount) keys")
        }
        keys = found.compactMap { $0.object.flatMap(Key.init) }
        guard !keys.isEmpty else {
            throw .malformed("the key set has no key for signatures by RS256 or ES256")
        }
    }

    package var count: Int { keys.count }

    /// A token without a key's name may be signed by the only key there is.
    func candidates(for id: String?, _ algorithm: SigningAlgorithm) -> [Key] {
        let fitting = keys.filter { $0.algorithm == algorithm }
        guard let id else { return fitting.count == 1 ? fitting : [] }
        return fitting.filter { $0.id == id }
    }
}

extension IssuerKeys.Key {
    /// Nil for a key of another kind or for another use, and for one that is too weak.
    init?(_ members: [String: JSONValue]) {
        guard members["use"].map({ $0.text == "sig" }) ?? true,
            members["key_ops"].map({ $0.array?.contains("verify") == true }) ?? true,
            let found = Self.numbers(members),
            members["alg"].map({ $0.text == found.algorithm.rawValue }) ?? true
        else { return nil }
        id = members["kid"]?.text
        (algorithm, numbers) = found
    }

    private static func numbers(
        _ members: [String: JSONValue]
    ) -> (algorithm: SigningAlgorithm, numbers: [[UInt8]])? {
        func number(_ name: String) -> [UInt8]? {
            members[name]?.text.flatMap { Base64URL.bytes($0.utf8) }
        }
        switch members["kty"]?.text {
        case "RSA":
            guard let modulus = number("n"), let exponent = number("e"),
                RS256.isKey(modulus: modulus, exponent: exponent)
            else { return nil }
            return (.rs256, [modulus, exponent])
        case "EC":
            guard members["crv"]?.text == "P-256", let x = number("x"), let y = number("y"),
                ES256.isKey(x: x, y: y)
            else { return nil }
            return (.es256, [x, y])
        default: return nil
        }
    }

    func hasSigned(_ message: [UInt8], with signature: [UInt8]) -> Bool {
        switch algorithm {
        case .rs256:
            RS256.isSigned(message, with: signature, modulus: numbers[0], exponent: numbers[1])
        case .es256: ES256.isSigned(message, with: signature, x: numbers[0], y: numbers[1])
        }
    }
}
