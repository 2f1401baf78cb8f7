// The contents of a signed time and of a membership.

package import MAMModel

/// JSON with `heads`: the serial of every document that a machine must have, by ``Slot``. The time
/// itself is when the statement was issued. A carrier that holds documents back cannot make one.
package struct SignedTime: Sendable, Equatable {
    package let heads: [Slot: Int64]

    package init(heads: [Slot: Int64]) { self.heads = heads }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        var members = try Members(parsing: bytes, of: "the time")
        let found = try members.take("heads", "an object") { $0.object }
        try members.requireEmpty()
        var heads: [Slot: Int64] = [:]
        for (text, value) in found {
            guard let slot = Slot(text), let serial = value.integer, serial >= 1 else {
                throw .malformed("the time's head \(text) must be KIND/AUDIENCE/NAME and a serial")
            }
            heads[slot] = serial
        }
        self.heads = heads
    }

    package var json: JSONValue { ["heads": JSONValue(heads.mapValues { .integer($0) })] }
}

/// JSON with `groups`: those whose documents are for the machine; and `members`: the accounts, by
/// name or object id, of the groups that policies are assigned to.
package struct Membership: Sendable, Equatable {
    package var groups: Set<String> = []
    package var members: [String: [String]] = [:]

    package init(groups: Set<String> = [], members: [String: [String]] = [:]) {
        (self.groups, self.members) = (groups, members)
    }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        var members = try Members(parsing: bytes, of: "the membership")
        let names =
            members.has("groups")
            ? try members.take("groups", "a list of names") { $0.elements(\.text) } : []
        guard names.allSatisfy({ isName($0) }) else {
            throw .malformed("the membership has a group whose name is not allowed")
        }
        groups = Set(names)
        let accounts = try members.take("members", "an object") { $0.object }
        try members.requireEmpty()
        for (group, value) in accounts {
            guard let texts = value.elements(\.text) else {
                throw .malformed("the membership's members of \(group) must be a list of texts")
            }
            self.members[group] = texts
        }
    }

    package var json: JSONValue {
        [
            "groups": JSONValue(texts: groups.sorted()),
            "members": .object(members.mapValues(JSONValue.init(texts:))),
        ]
    }
}
