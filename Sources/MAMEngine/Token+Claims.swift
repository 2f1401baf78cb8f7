// What the organisation's operator, accounts and users may do.

internal import MAMModel

extension Token {
    private static let unlimited: JSONValue = -1

    package static func forOperator(
        _ seed: NKeySeed, named name: String, systemAccount: NKey, issued: Int64
    ) -> Token? {
        Token(
            .operator, seed.key, named: name,
            ["system_account": .string(systemAccount.description)], issued: issued, by: seed)
    }

    /// `streams`: how many it may store on the servers, of any size; nil: it stores nothing.
    /// `revoked`: users whose tokens of that time and older count no more. `readmitted`: users that
    /// were let in again, and which revocation that ended.
    package static func forAccount(
        _ account: NKey, named name: String, streams: Int64?, revoked: [NKey: Int64] = [:],
        readmitted: [NKey: Int64] = [:], issued: Int64, by operator: NKeySeed
    ) -> Token? {
        var limits: [String: JSONValue] = [
            "subs": unlimited, "data": unlimited, "payload": unlimited, "imports": unlimited,
            "exports": unlimited, "wildcards": true, "conn": unlimited, "leaf": 0,
        ]
        if let streams {
            limits["mem_storage"] = 0
            limits["disk_storage"] = unlimited
            limits["streams"] = .integer(streams)
            limits["consumer"] = unlimited
        }
        var claims: [String: JSONValue] = [
            "limits": .object(limits), "default_permissions": ["pub": [:], "sub": [:]],
        ]
        if !revoked.isEmpty {
            claims["revocations"] = JSONValue(revoked.mapValues { .integer($0) })
        }
        // Servers ignore what they do not know.
        if !readmitted.isEmpty {
            claims["readmitted"] = JSONValue(readmitted.mapValues { .integer($0) })
        }
        return Token(.account, account, named: name, claims, issued: issued, by: `operator`)
    }

    package static func forUser(
        _ user: NKey, named name: String, _ permissions: Permissions, issued: Int64,
        expires: Int64? = nil, by account: NKeySeed
    ) -> Token? {
        Token(
            .user, user, named: name,
            [
                "pub": ["allow": JSONValue(texts: permissions.publish)],
                "sub": ["allow": JSONValue(texts: permissions.subscribe)],
                "subs": .integer(permissions.subscriptionCount), "data": unlimited,
                "payload": unlimited,
            ], issued: issued, expires: expires, by: account)
    }

    /// The users that an account's token revokes, and when.
    package var revoked: [NKey: Int64] { times("revocations") }

    /// The users that were let in again: their revocations until that time ended on purpose.
    package var readmitted: [NKey: Int64] { times("readmitted") }

    /// Whether each revocation of the other token is in this one too, or ended on purpose.
    package func covers(revocationsOf other: Token) -> Bool {
        let (here, ended) = (revoked, readmitted)
        return other.revoked.allSatisfy { key, time in
            max(here[key] ?? 0, ended[key] ?? 0) >= time
        }
    }

    private func times(_ claim: String) -> [NKey: Int64] {
        let found = (claims[claim]?.object ?? [:]).compactMap { text, value in
            NKey(text).flatMap { key in value.integer.map { (key, $0) } }
        }
        return Dictionary(found) { max($0, $1) }
    }
}

/// The subjects that a user may publish to and subscribe.
package struct Permissions: Sendable, Equatable {
    package var publish: [String]
    package var subscribe: [String]
    /// How many subscriptions at once; -1 for any number.
    package var subscriptionCount: Int64 = -1

    package init(publish: [String], subscribe: [String], subscriptionCount: Int64 = -1) {
        (self.publish, self.subscribe) = (publish, subscribe)
        self.subscriptionCount = subscriptionCount
    }

    /// Everything in the account: the administrator.
    package static let all = Permissions(publish: [">"], subscribe: [">"])
}
