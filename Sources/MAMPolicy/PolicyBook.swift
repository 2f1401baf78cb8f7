// The policies in force, and the accounts that each covers.

package import MAMModel

/// All documents of one workspace.
package struct PolicyBook: Sendable, Equatable {
    package let documents: [PolicyDocument]
    /// The documents in force in this workspace.
    private let inForce: [PolicyDocument]
    /// Which of them cover accounts: ``PolicyDocument/covers``.
    private let covering: [Bool]
    /// Which of them may wipe every account that they cover.
    private let wipesEverybody: [Bool]
    let groups: Groups
    /// The workspace's name and id, in lower case.
    let workspace: [String]
    private let members: [String: [String]]
    private let wipedMembers: [String: [String]]?
    private let proven: [ProvenGroups]
    private let mayLoosen: Bool
    /// Warnings that these documents raise in this workspace.
    package let warnings: [PolicyWarning]

    package static let empty = PolicyBook(documents: [])

    /// The workspace's name and id. Without either, every document applies. `wiped`, `proven`,
    /// `mayLoosen`: see ``Groups``.
    package init(
        documents: [PolicyDocument], workspace: [String] = [],
        groups memberships: [String: [String]] = [:], wiped: [String: [String]]? = nil,
        proven: [ProvenGroups] = [], mayLoosen: Bool = true
    ) {
        self.documents = documents
        self.proven = proven
        self.mayLoosen = mayLoosen
        wipedMembers = wiped
        let groups = Groups(memberships, wiped: wiped, proven: proven, mayLoosen: mayLoosen)
        let names = workspace.map { $0.lowercased() }
        let assigned = documents.filter(\.isAssigned)
        let isHere = { (document: PolicyDocument) in
            names.isEmpty
                || document.workspaces?.contains { names.contains($0.lowercased()) } ?? true
        }
        self.groups = groups
        self.workspace = names
        members = memberships
        inForce = assigned.filter(isHere)
        covering = inForce.map(\.covers)
        wipesEverybody = inForce.map { document in
            document.mayWipe && document.assignments.allSatisfy { $0 == .everyone }
        }
        warnings =
            assigned.filter { !isHere($0) }.map {
                .otherWorkspaces($0.workspaces ?? [], document: $0.label)
            } + inForce.flatMap { groups.unknown(in: $0) }
            + inForce.filter { document in
                document.isSigned && !document.wipeRules.isEmpty
                    && !(document.mayWipe && groups.knowWiped(document.assignments))
            }.map { .closesOnly($0.wipeRules, document: $0.label) }
    }

    /// A copy in which a file has these documents.
    package func replacing(_ file: String, with new: [PolicyDocument]) -> PolicyBook {
        PolicyBook(
            documents: documents.filter { $0.file != file } + new, workspace: workspace,
            groups: members, wiped: wipedMembers, proven: proven, mayLoosen: mayLoosen)
    }

    /// The combined policy of the documents that cover an account.
    package func policy(for account: Identity) -> EffectivePolicy {
        policy(of: numbers(for: account))
    }

    package func policy(of numbers: Numbers) -> EffectivePolicy {
        .merge(
            numbers.all.map { inForce[$0] },
            wiping: (numbers.wiping ?? numbers.all).map { inForce[$0] })
    }

    /// The protections that cover an account. Any of them replaces the tenant's default, except a
    /// protection for another system, because only some of its rules apply here.
    package func documents(for account: Identity) -> [PolicyDocument] {
        numbers(for: account).all.map { inForce[$0] }
    }

    /// Which of the book's documents those are, and which of them may wipe the account. Accounts
    /// with the same ones have the same policy.
    package func numbers(for account: Identity) -> Numbers {
        let all = merged(for: account)
        let mayWipe = { (number: Int) in
            self.wipesEverybody[number]
                || self.inForce[number].mayWipe
                    && self.groups.wipe(account, self.inForce[number].assignments)
        }
        return Numbers(all: all, wiping: all.allSatisfy(mayWipe) ? nil : all.filter(mayWipe))
    }

    /// See ``PolicyBook/numbers(for:)``.
    package struct Numbers: Sendable, Hashable {
        fileprivate let all: [Int]
        /// Nil: all.
        fileprivate let wiping: [Int]?
    }

    private func merged(for account: Identity) -> [Int] {
        let all = inForce.indices.filter { covers(account, inForce[$0], .protection) }
        guard all.contains(where: { covering[$0] }) else { return all }
        let counting = all.filter { !inForce[$0].isPlaceholder }
        let replacesDefault = counting.contains {
            covering[$0] && !inForce[$0].isDefault && !inForce[$0].isOfOtherSystem
        }
        return replacesDefault ? counting.filter { !inForce[$0].isDefault } : counting
    }

    /// True if a protection covers the account.
    package func covers(_ account: Identity) -> Bool {
        numbers(for: account).all.contains { covering[$0] }
    }

    /// True if a protection is in force here, for whichever accounts, or stands for those to come.
    package var hasProtection: Bool {
        covering.contains(true) || inForce.contains(where: \.isPlaceholder)
    }

    /// The configuration for an account's programs. A default protection may contain a default
    /// configuration.
    package func configuration(for account: Identity) -> AppConfiguration {
        let delivering =
            covering(account, .configuration)
            + covering(account, .protection).filter { !$0.customSettings.isEmpty }
        return AppConfiguration(delivering)
    }

    /// The ``warnings`` about these documents.
    package func warnings(about some: [PolicyDocument]) -> [PolicyWarning] {
        warnings.filter { warning in
            switch warning {
            case .unknownGroup(_, let label), .otherWorkspaces(_, let label),
                .closesOnly(_, let label):
                some.contains { $0.label == label }
            default: false
            }
        }
    }

    func covering(
        _ account: Identity, _ kind: PolicyDocument.Kind
    ) -> [PolicyDocument] {
        inForce.filter { covers(account, $0, kind) }
    }

    private func covers(
        _ account: Identity, _ document: PolicyDocument, _ kind: PolicyDocument.Kind
    ) -> Bool {
        document.kind == kind && groups.cover(account, document.assignments)
    }
}
