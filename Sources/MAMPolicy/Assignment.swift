// The accounts that a document covers.

internal import MAMModel

/// One member of `assignments`.
package enum Assignment: Sendable, Hashable {
    case everyone
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

/// The members of directory groups, according to the settings.
package struct Groups: Sendable, Equatable {
    private let members: [String: [String]]

    package init(_ members: [String: [String]]) {
        self.members = Dictionary(members.map { ($0.lowercased(), $1) }, uniquingKeysWith: +)
    }

    /// A warning for each unknown group of a document.
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

    /// Nil for an unknown group.
    private func contains(_ account: Identity, _ group: String) -> Bool? {
        members[group.lowercased()].map { $0.contains(where: account.matches) }
    }

    /// True if the assignments cover the account. An unknown group counts as including everybody,
    /// and as excluding nobody.
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
