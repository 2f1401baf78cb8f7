// Whom a document covers.

internal import MAMModel

/// One member of `assignments`.
package enum Assignment: Sendable, Hashable {
    case everyone
    case group(String)
    case allBut(group: String)
    /// Ours: a flat policy names an account.
    case account(String)

    /// The target of an entry. One that is not understood covers everybody: a policy must not
    /// become looser by our not knowing whom it is for.
    init(_ entry: [String: JSONValue], _ warnings: inout [PolicyWarning]) throws(PolicyError) {
        guard let target = entry["target"]?.object else {
            throw .value(key: "assignments", expected: "a list of objects with a target in each")
        }
        let type = target["@odata.type"]?.text ?? "a target without a type"
        switch (type, target["groupId"]?.text) {
        case ("#microsoft.graph.allLicensedUsersAssignmentTarget", _),
            ("#microsoft.graph.allDevicesAssignmentTarget", _):
            self = .everyone
        case ("#microsoft.graph.groupAssignmentTarget", let group?): self = .group(group)
        case ("#microsoft.graph.exclusionGroupAssignmentTarget", let group?):
            self = .allBut(group: group)
        default:
            warnings.append(.unknownTarget(type))
            self = .everyone
        }
    }
}

/// The accounts of directory groups, as far as the settings tell.
package struct Groups: Sendable, Equatable {
    private let members: [String: [String]]

    package init(_ members: [String: [String]]) {
        self.members = Dictionary(members.map { ($0.lowercased(), $1) }, uniquingKeysWith: +)
    }

    /// A remark for each group of a document that is not known.
    func unknown(in document: PolicyDocument) -> [PolicyWarning] {
        document.assignments.compactMap { assignment in
            switch assignment {
            case .group(let group), .allBut(let group):
                members[group.lowercased()] == nil
                    ? .unknownGroup(group, document: document.label) : nil
            case .everyone, .account: nil
            }
        }
    }

    /// Nil if the group is not known.
    private func contains(_ account: Identity, _ group: String) -> Bool? {
        members[group.lowercased()].map { $0.contains(where: account.matches) }
    }

    /// True if the assignments cover the account: a group that is not known counts as one that
    /// everybody is in, and one that excludes nobody.
    func cover(_ account: Identity, _ assignments: [Assignment]) -> Bool {
        var included: [Bool] = []
        for assignment in assignments {
            switch assignment {
            case .everyone: included.append(true)
            case .group(let group): included.append(contains(account, group) ?? true)
            case .account(let name): included.append(account.matches(name))
            case .allBut(let group): if contains(account, group) == true { return false }
            }
        }
        return included.isEmpty || included.contains(true)
    }
}
