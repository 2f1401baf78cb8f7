// What a verified token says of a person (OpenID Connect Core 1.0, section 2 and 3.1.3.7).

internal import MAMCrypto
internal import MAMModel

/// What a token must answer.
package struct SignInQuestion: Sendable, Equatable {
    package let issuer: String
    package let clientID: String
    package let nonce: Nonce
    /// When the sign-in began; seconds since 1970.
    package let begun: Int64

    package enum Nonce: Sendable, Equatable {
        /// A person was asked in a browser: the token must have this one.
        case required(String)
        /// A device code or a refresh token: none, or that of the person's sign-in.
        case noneOr(String?)
    }

    package init(issuer: String, clientID: String, nonce: Nonce, begun: Int64) {
        self.issuer = issuer
        self.clientID = clientID
        self.nonce = nonce
        self.begun = begun
    }

    /// How far the clocks of the issuer and of this machine may be apart.
    package static let skewSeconds: Int64 = 300
}

/// A person whom an issuer knows.
package struct Person: Sendable, Equatable {
    /// The issuer's own name for the person, which it never gives to another one.
    package let subject: String
    /// `oid`, else the subject.
    package let objectID: String
    /// `upn` and `preferred_username`. They may change, and go to others one day.
    package let names: [String]
    /// The ids of the person's groups; nil if the token does not tell, or not all of them.
    package let groups: [String]?
    /// Seconds since 1970.
    package let issued: Int64
    package let nonce: String?

    private static let maximumNameByteCount = 512
    private static let maximumGroupCount = 1000

    init(
        _ members: [String: JSONValue], asking question: SignInQuestion, at clock: Int64
    ) throws(TokenRefusal) {
        let issuer = members["iss"]?.text ?? ""
        guard trimmed(issuer) == trimmed(question.issuer) else {
            throw .otherIssuer(glance(issuer))
        }
        try Self.checkAudience(members, question.clientID)
        issued = try Self.checkTimes(members, question, at: clock)
        nonce = try optionalText(members["nonce"], "its nonce", Self.maximumNameByteCount)
        switch question.nonce {
        case .required(let expected): guard nonce == expected else { throw .otherNonce }
        case .noneOr(let former): guard nonce == nil || nonce == former else { throw .otherNonce }
        }
        guard let subject = try optionalText(members["sub"], "its sub", 255) else {
            throw .malformed("it has no sub")
        }
        self.subject = subject
        objectID = try optionalText(members["oid"], "its oid", 64) ?? subject
        var names: [String] = []
        for claim in ["upn", "preferred_username"] {
            let name = try optionalText(
                members[claim], "its \(claim)", Self.maximumNameByteCount)
            if let name { names.append(name) }
        }
        self.names = names
        groups = try Self.groups(members)
    }

    /// As the token names the person, for messages.
    package var title: String { glance(names.first ?? objectID) }

    /// Whether an account with this name, and this object id if it has one, is the person's.
    /// `subject`: of the person who signed in to it before.
    package func has(
        name: String, objectID accountsID: String, subject known: String?
    ) -> Bool {
        if let known, known != subject { return false }
        if !accountsID.isEmpty, !isSameName(accountsID, objectID) { return false }
        // Somebody who is known by the subject, or by the object id, may have another name now.
        if known != nil || (name.isEmpty && !accountsID.isEmpty) { return true }
        return names.contains { isSameName($0, name) }
    }

    private static func checkAudience(
        _ members: [String: JSONValue], _ client: String
    ) throws(TokenRefusal) {
        let audience = members["aud"].flatMap { $0.array ?? [$0] } ?? []
        guard audience.contains(.string(client)) else { throw .otherAudience }
        // Of several audiences, one has asked for it.
        guard audience.count == 1 || members["azp"] != nil else { throw .otherAudience }
        guard members["azp"].map({ $0 == .string(client) }) ?? true else { throw .otherAudience }
    }

    /// Returns when it was issued.
    private static func checkTimes(
        _ members: [String: JSONValue], _ question: SignInQuestion, at clock: Int64
    ) throws(TokenRefusal) -> Int64 {
        let skew = SignInQuestion.skewSeconds
        guard let expires = time(members["exp"]), let issued = time(members["iat"]) else {
            throw .malformed("it has no exp or no iat")
        }
        guard expires > clock - skew else { throw .expired(clock - expires) }
        if let member = members["nbf"] {
            guard let begins = time(member) else { throw .malformed("its nbf is no time") }
            guard begins <= clock + skew else { throw .notYetValid(begins - clock) }
        }
        guard issued <= clock + skew else { throw .notYetValid(issued - clock) }
        // Entra ID sets it five minutes back.
        guard issued >= question.begun - 2 * skew else {
            throw .issuedBefore(question.begun - issued)
        }
        return issued
    }

    /// Seconds since 1970, maybe with a fraction; up to the year 9999.
    private static func time(_ value: JSONValue?) -> Int64? {
        let seconds: Double? =
            switch value {
            case .integer(let integer): Double(integer)
            case .number(let number): number
            default: nil
            }
        guard let seconds, (0...253_402_300_799).contains(seconds) else { return nil }
        return Int64(seconds)
    }

    private static func groups(_ members: [String: JSONValue]) throws(TokenRefusal) -> [String]? {
        // Too many for a token: it says where else to ask, which nobody here can.
        let elsewhere = members["_claim_names"]?.object?["groups"]
        guard elsewhere == nil, members["hasgroups"] == nil, let claim = members["groups"] else {
            return nil
        }
        guard let list = claim.array, list.count <= maximumGroupCount else {
            throw .malformed("its groups are no list of at most \(maximumGroupCount) texts")
        }
        var groups: [String] = []
        for value in list {
            guard let group = try optionalText(value, "a group", 256) else { continue }
            groups.append(group)
        }
        return groups
    }
}

/// Without regard to the case of ASCII letters, and else byte for byte: what Unicode calls
/// equivalent may be two people at an issuer.
package func isSameName(_ one: String, _ other: String) -> Bool {
    func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
    return one.utf8.elementsEqual(other.utf8) { folded($0) == folded($1) }
}

/// What an issuer gives back, and nobody guesses: states, nonces, PKCE's verifiers. 256 random bits
/// in base64url.
package func randomText() -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    bytes.withUnsafeMutableBytes { SecureRandom.fill($0) }
    return Base64URL.text(bytes)
}

/// Discovery leaves a slash at the end to the issuer's taste.
private func trimmed(_ issuer: String) -> Substring {
    issuer.last == "/" ? issuer.dropLast() : issuer[...]
}
