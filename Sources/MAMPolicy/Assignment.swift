// The accounts that a document covers.

package import MAMModel

/// One member of `assignments`.
package enum Assignment: Sendable, Hashable {
    case everyone
    /// A target of an unknown kind, which covers everybody, and wipes nobody.
    case unknown
    case group(String)
    case allBut(group: String)
    /// mamd's own: a flat policy names an account.
    case account(String)

    /// The target of an entry. An unknown target covers everybody, so that a policy does not become
    /// looser because its target is not understood.
    init(_ entry: [String: JSONValue], _ warnings: inout [PolicyWarning]) throws(PolicyError) {
        guard let target = entry["target"]?.object else {
            throw .value(key: "assignments", expected: "a list of objects with a target in each")
        }
        // Without it, a group may be meant or excluded.
        guard let type = target["@odata.type"]?.text else {
            throw .value(
                key: "assignments",
                expected: "objects with an @odata.type in each target, for example"
                    + " #microsoft.graph.groupAssignmentTarget")
        }
        switch (type, target["groupId"]?.text) {
        case ("#microsoft.graph.allLicensedUsersAssignmentTarget", _),
            ("#microsoft.graph.allDevicesAssignmentTarget", _):
            self = .everyone
        case ("#microsoft.graph.groupAssignmentTarget", let group?): self = .group(group)
        case ("#microsoft.graph.exclusionGroupAssignmentTarget", let group?):
            self = .allBut(group: group)
        default:
            warnings.append(.unknownTarget(type))
            self = .unknown
        }
    }
}

/// The groups that an issuer proved an account to be in.
package struct ProvenGroups: Sendable, Equatable {
    package let account: Identity
    fileprivate let groups: Set<String>

    package init(of account: Identity, _ groups: [String]) {
        self.account = account
        self.groups = Set(groups.map { $0.caseFolded })
    }

    package static func == (one: ProvenGroups, other: ProvenGroups) -> Bool {
        (one.account.name, one.account.objectID, one.groups)
            == (other.account.name, other.account.objectID, other.groups)
    }
}

/// The members of directory groups, according to the settings, or to signed documents, and to an
/// issuer.
package struct Groups: Sendable, Equatable {
    /// Folded, as their groups: a group may have ten thousand.
    private let members: [String: Set<String>]
    /// Those whose word suffices to wipe.
    private let wipedMembers: [String: Set<String>]
    private let proven: [ProvenGroups]
    /// Whether an issuer's word may also take an account out of a group, or out of a policy.
    private let mayLoosen: Bool

    /// `wiped`: the members by whom alone a document may wipe; nil for the same.
    package init(
        _ members: [String: [String]], wiped: [String: [String]]? = nil,
        proven: [ProvenGroups] = [], mayLoosen: Bool = true
    ) {
        let folded = { (members: [String: [String]]) in
            Dictionary(members.map { ($0.caseFolded, Set($1.map(\.caseFolded))) }) {
                $0.union($1)
            }
        }
        self.members = folded(members)
        wipedMembers = wiped.map(folded) ?? self.members
        self.proven = proven
        self.mayLoosen = mayLoosen
    }

    /// A warning for each unknown group of a document.
    func unknown(in document: PolicyDocument) -> [PolicyWarning] {
        document.assignments.compactMap { assignment in
            switch assignment {
            case .group(let group), .allBut(let group):
                members[group.caseFolded] == nil && !(mayLoosen && isProven(group))
                    ? .unknownGroup(group, document: document.label) : nil
            case .everyone, .unknown, .account: nil
            }
        }
    }

    private func isProven(_ group: String) -> Bool {
        proven.contains { $0.groups.contains(group.caseFolded) }
    }

    /// Nil for an unknown group.
    private func contains(_ account: Identity, _ group: String) -> Bool? {
        members[group.caseFolded].map { account.isIn($0) }
    }

    /// What the issuer says; nil if it has said nothing about the account.
    private func proves(_ account: Identity, _ group: String) -> Bool? {
        let own = proven.filter { $0.account.matches(account) }
        return own.isEmpty ? nil : own.contains { $0.groups.contains(group.caseFolded) }
    }

    private func includes(_ account: Identity, _ group: String) -> Bool {
        let proof = proves(account, group)
        if proof == true { return true }
        // Who is not in an unknown group by the issuer's word is not in it.
        return contains(account, group) ?? (mayLoosen ? proof : nil) ?? true
    }

    private func excludes(_ account: Identity, _ group: String) -> Bool {
        contains(account, group) == true || (mayLoosen && proves(account, group) == true)
    }

    /// True if the assignments cover the account. An unknown group counts as including everybody,
    /// and as excluding nobody.
    func cover(_ account: Identity, _ assignments: [Assignment]) -> Bool {
        var included: [Bool] = []
        for assignment in assignments {
            switch assignment {
            case .everyone, .unknown: included.append(true)
            case .group(let group): included.append(includes(account, group))
            case .account(let name): included.append(account.matches(name))
            case .allBut(let group): if excludes(account, group) { return false }
            }
        }
        return included.isEmpty || included.contains(true)
    }

    /// Whether an account that the assignments cover may be wiped by them: no unknown group, and
    /// no word that does not suffice for a wipe, puts it in or keeps it from being excluded.
    func wipe(_ account: Identity, _ assignments: [Assignment]) -> Bool {
        let isIn = { (group: String) -> Bool? in
            let proof = mayLoosen ? proves(account, group) : nil
            if proof == true { return true }
            return wipedMembers[group.caseFolded].map { account.isIn($0) } ?? proof
        }
        var included: [Bool] = []
        for assignment in assignments {
            switch assignment {
            case .everyone: included.append(true)
            case .unknown: included.append(false)
            case .group(let group): included.append(isIn(group) == true)
            case .account(let name): included.append(account.matches(name))
            case .allBut(let group): if isIn(group) != false { return false }
            }
        }
        return included.isEmpty || included.contains(true)
    }

    /// Whether the word for all groups of the assignments suffices for a wipe.
    func knowWiped(_ assignments: [Assignment]) -> Bool {
        assignments.allSatisfy { assignment in
            switch assignment {
            case .group(let group), .allBut(let group): wipedMembers[group.caseFolded] != nil
            case .everyone, .account: true
            case .unknown: false
            }
        }
    }
}

extension Identity {
    /// Whether its name or its object id is among them, which are folded.
    fileprivate func isIn(_ folded: Set<String>) -> Bool {
        [name, objectID].contains { !$0.isEmpty && folded.contains($0.caseFolded) }
    }
}
