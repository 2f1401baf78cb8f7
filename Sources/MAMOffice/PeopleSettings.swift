// `people.json` of the organisation's directory: the LDAP server that has its people and groups.

package import MAMFleet
internal import MAMModel
package import MAMPolicy

/// Without a ``bindDN`` the server learns from its socket who asks (SASL EXTERNAL).
package struct PeopleSettings: Sendable, Equatable {
    package static let file = "people.json"
    package static let maximumByteCount = 1 << 20

    /// `ldaps://` and `ldap://`, which becomes TLS before anything is told, or `ldapi://`.
    package let uri: String
    /// A file of authorities' certificates, absolute or in the organisation's directory.
    package let certificates: String
    package let bindDN: String?
    /// A name in the organisation's directory; there if ``bindDN`` is.
    package let passwordFile: String?
    package let base: String
    package let filter: String
    /// The attribute that has a person's user principal name.
    package let name: String
    package let groupBase: String
    package let groupFilter: String
    /// The attribute that has the DNs of a group's members.
    package let member: String
    /// The DNs of the directory's groups by the names of the organisation's.
    package let groups: [String: String]
    /// How many people may leave a group at once; nil: a tenth of it.
    package let mostLeaving: Int?

    package init(parsing bytes: [UInt8]) throws(PolicyError) {
        let json = try JSONValue(document: bytes)
        guard let members = json.object else { throw .notADocument(found: json.kind) }
        if let unknown = members.keys.sorted().first(where: { !Self.keys.contains($0) }) {
            throw .value(key: unknown, expected: "left out: there is no such key")
        }
        let values = Values(members: members)
        uri = try values.text("uri", "ldaps://HOST, ldap://HOST or ldapi://SOCKET", isAddress)
        certificates =
            try values.optional("certificates") ?? "/etc/ssl/certs/ca-certificates.crt"
        bindDN = try values.optional("bindDN")
        passwordFile = try values.optional("passwordFile", "a name in this directory") {
            !$0.hasPrefix("/")
        }
        base = try values.text("base")
        filter = try values.text("filter", "a filter in parentheses", isFilter)
        name = try values.text("name", "the name of an attribute", isAttribute)
        groupBase = try values.optional("groupBase") ?? base
        groupFilter = try values.text("groupFilter", "a filter in parentheses", isFilter)
        member =
            try values.optional("member", "the name of an attribute", isAttribute) ?? "member"
        groups = try values.groups()
        mostLeaving = try values.count("mostLeaving")
        try checkCredentials()
    }

    package var isLocal: Bool { uri.hasPrefix("ldapi:") }

    private func checkCredentials() throws(PolicyError) {
        if bindDN == nil, !isLocal {
            throw .value(key: "bindDN", expected: "there: only a socket tells who asks")
        }
        if (bindDN == nil) != (passwordFile == nil) {
            throw .value(key: "passwordFile", expected: "there if, and only if, bindDN is")
        }
    }

    private static let keys: Set = [
        "uri", "certificates", "bindDN", "passwordFile", "base", "filter", "name", "groupBase",
        "groupFilter", "member", "groups", "mostLeaving",
    ]
}

extension PeopleSettings {
    /// The membership document of a group. `fleet people` alone writes documents of these names.
    package static func slot(ofGroup group: String) -> Slot {
        Slot(.membership, .all, "\(slotPrefix)\(group)")
    }

    package static let slotPrefix = "people-"
}

private struct Values {
    let members: [String: JSONValue]

    func text(
        _ key: String, _ expected: String = "a text", _ isGood: (String) -> Bool = { _ in true }
    ) throws(PolicyError) -> String {
        guard let text = members[key]?.text, isPlain(text), isGood(text) else {
            throw .value(key: key, expected: expected)
        }
        return text
    }

    func optional(
        _ key: String, _ expected: String = "a text", _ isGood: (String) -> Bool = { _ in true }
    ) throws(PolicyError) -> String? {
        members[key] == nil ? nil : try text(key, expected, isGood)
    }

    func count(_ key: String) throws(PolicyError) -> Int? {
        guard let value = members[key] else { return nil }
        guard let number = value.integer, (0...1_000_000).contains(number) else {
            throw .value(key: key, expected: "a number from 0")
        }
        return Int(number)
    }

    /// Names differ in more than case, as machines compare them.
    func groups() throws(PolicyError) -> [String: String] {
        guard let found = members["groups"]?.object, !found.isEmpty else {
            throw .value(key: "groups", expected: "an object with at least one group")
        }
        var groups: [String: String] = [:]
        for (name, value) in found {
            guard isName(name), name.utf8.count <= 90 else {
                throw .value(
                    key: "groups",
                    expected: "by names of 1 to 90 letters, digits, '.', '_' and '-'")
            }
            guard let dn = value.text, isPlain(dn) else {
                throw .value(key: "groups.\(name)", expected: "the DN of a group")
            }
            groups[name] = dn
        }
        guard Set(groups.keys.map(\.caseFolded)).count == groups.count else {
            throw .value(key: "groups", expected: "by names that differ in more than case")
        }
        return groups
    }
}

/// Not empty, and on one line.
private func isPlain(_ text: String) -> Bool {
    (1...4096).contains(text.utf8.count) && text.onOneLine == text
}

/// One server: ldapsearch takes several, with commas between.
private func isAddress(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains(",") else {
        return false
    }
    return ["ldaps://", "ldap://", "ldapi://"].contains { scheme in
        let rest = text.dropFirst(scheme.count)
        return text.hasPrefix(scheme) && !rest.isEmpty && !rest.contains { "/?#@".contains($0) }
    }
}

private func isFilter(_ text: String) -> Bool { text.hasPrefix("(") && text.hasSuffix(")") }

private func isAttribute(_ text: String) -> Bool {
    let first = text.utf8.first ?? 0
    return (UInt8(ascii: "A")...UInt8(ascii: "z")).contains(first)
        && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
}
