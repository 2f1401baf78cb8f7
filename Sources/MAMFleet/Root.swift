// The content of a root: the organisation's keys, and what each may sign.

internal import MAMCrypto
package import MAMModel

/// JSON with `name`, `keys` (key id: base64 of the public key), `roles` (role: `keys` and
/// `threshold`) and perhaps `scopes` (id of a policy key: names of groups).
package struct Root: Sendable, Equatable {
    /// The organisation's name, for people.
    package var name: String
    package var keys: [Bytes16: [UInt8]]
    package var roles: [Role: Holders]
    /// The groups of machines that a policy key may sign for; one that is not here signs for all.
    package var scopes: [Bytes16: Set<String>] = [:]

    /// The keys that have a role, and how many of them must sign.
    package struct Holders: Sendable, Equatable {
        package var keys: Set<Bytes16>
        package var threshold: Int

        package init(keys: Set<Bytes16>, threshold: Int) {
            (self.keys, self.threshold) = (keys, threshold)
        }
    }

    /// One person alone must not be able to destroy what others work on.
    package static let smallestOrderThreshold = 2

    /// Makes the same checks as ``init(parsing:)``.
    package init(
        name: String, keys: [[UInt8]], roles: [Role: Holders],
        scopes: [Bytes16: Set<String>] = [:]
    ) throws(Refusal) {
        self.name = name
        self.keys = Dictionary(keys.map { (Bytes16(ofKey: $0), $0) }) { first, _ in first }
        (self.roles, self.scopes) = (roles, scopes)
        try check()
    }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        var members = try Members(parsing: bytes, of: "the root")
        name = try members.take("name", "a text of 1 to 200 bytes") { $0.text }
        let keys = try members.take("keys", "an object") { $0.object }
        self.keys = [:]
        for (id, value) in keys {
            guard let publicKey = value.bytes, publicKey.count == Ed25519.publicKeyByteCount,
                Bytes16(ofKey: publicKey).description == id
            else { throw .malformed("the root's key \(id) is not the key of that id") }
            self.keys[Bytes16(ofKey: publicKey)] = publicKey
        }
        var roles = Members(
            try members.take("roles", "an object") { $0.object.map { .object($0) } },
            of: "the root's roles")
        self.roles = [:]
        for role in Role.allCases {
            self.roles[role] = try roles.take(role.rawValue, "keys and a threshold") {
                Holders($0)
            }
        }
        try roles.requireEmpty()
        if members.has("scopes") {
            scopes = try members.take("scopes", "groups by key", Self.scopes)
        }
        try members.requireEmpty()
        try check()
    }

    private func check() throws(Refusal) {
        guard (1...200).contains(name.utf8.count) else {
            throw .malformed("the root's name must have 1 to 200 bytes")
        }
        for (role, holders) in roles {
            guard holders.keys.allSatisfy({ keys[$0] != nil }) else {
                throw .malformed("the role \(role.rawValue) has a key that the root does not list")
            }
            guard holders.threshold >= 1, holders.threshold <= holders.keys.count else {
                throw .malformed(
                    "the role \(role.rawValue) needs \(holders.threshold) signatures and has"
                        + " \(holders.keys.count) keys")
            }
        }
        guard roles.count == Role.allCases.count else { throw .malformed("a role is missing") }
        guard threshold(of: .order) >= Self.smallestOrderThreshold else {
            throw .malformed("the role order needs the signatures of two keys at least")
        }
        try checkScopes()
    }

    package func threshold(of role: Role) -> Int { roles[role]?.threshold ?? .max }

    /// The public keys of a role.
    package func keys(of role: Role) -> [Bytes16: [UInt8]] {
        keys.filter { roles[role]?.keys.contains($0.key) ?? false }
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name),
            "keys": JSONValue(keys.mapValues { .string(base64($0)) }),
            "roles": .object(
                Dictionary(uniqueKeysWithValues: roles.map { ($0.key.rawValue, $0.value.json) })),
        ]
        if !scopes.isEmpty { members["scopes"] = scopesJSON }
        return .object(members)
    }
}

extension Root.Holders {
    fileprivate init?(_ json: JSONValue) {
        guard let members = json.object, members.count == 2,
            let ids = members["keys"]?.elements(hexID),
            let threshold = members["threshold"]?.integer.flatMap(Int.init(exactly:))
        else { return nil }
        let keys = Set(ids)
        // A key that counts twice would be two signatures of one person's.
        guard keys.count == ids.count else { return nil }
        self.init(keys: keys, threshold: threshold)
    }

    fileprivate var json: JSONValue {
        [
            "keys": JSONValue(texts: keys.map(\.description).sorted()),
            "threshold": .integer(Int64(threshold)),
        ]
    }
}
