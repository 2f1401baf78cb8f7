// Policy keys that sign for some groups of machines alone.

package import MAMModel

extension Root {
    /// How the names begin of what a key with a scope signs. So its documents stand beside those of
    /// other keys, and never in their place.
    package static func namePrefix(of key: Bytes16) -> String { "\(key.description.prefix(16))." }

    /// Whether the key's signature counts on a document of the slot, if the key has the role.
    package func covers(_ slot: Slot, by key: Bytes16) -> Bool {
        guard slot.kind.role == .policy, let groups = scopes[key] else { return true }
        guard slot.kind == .policy, case .group(let group) = slot.audience else { return false }
        return groups.contains(group) && slot.name.hasPrefix(Self.namePrefix(of: key))
    }

    /// The public keys that may sign a document of the slot.
    func keys(signing slot: Slot) -> [Bytes16: [UInt8]] {
        keys(of: slot.kind.role).filter { covers(slot, by: $0.key) }
    }

    func checkScopes() throws(Refusal) {
        let holders = roles[.policy]?.keys ?? []
        for (key, groups) in scopes {
            guard holders.contains(key) else {
                throw .malformed("the root has a scope of \(key), which is no policy key")
            }
            guard !groups.isEmpty, groups.allSatisfy({ isName($0) }) else {
                throw .malformed("the scope of \(key) must be names of groups")
            }
        }
        guard holders.count - scopes.count >= threshold(of: .policy) else {
            throw .malformed(
                "the role policy needs \(counted(threshold(of: .policy), "key")) without a scope:"
                    + " others sign no memberships")
        }
    }

    var scopesJSON: JSONValue { JSONValue(scopes.mapValues { JSONValue(texts: $0.sorted()) }) }

    static func scopes(_ json: JSONValue) -> [Bytes16: Set<String>]? {
        guard let members = json.object, !members.isEmpty else { return nil }
        var found: [Bytes16: Set<String>] = [:]
        for (id, value) in members {
            guard let key = Bytes16(hex: id), key.description == id,
                let groups = value.elements(\.text), Set(groups).count == groups.count
            else { return nil }
            found[key] = Set(groups)
        }
        return found
    }
}
