// The policies in force, and whom each of them covers.

package import MAMModel

/// All documents of one workspace.
package struct PolicyBook: Sendable, Equatable {
    package let documents: [PolicyDocument]
    /// Those that are in force in this workspace.
    private let inForce: [PolicyDocument]
    let groups: Groups
    /// The workspace's name and id, in small letters.
    let workspace: [String]
    private let members: [String: [String]]
    /// What the documents say about this workspace that their writers may not have meant.
    package let warnings: [PolicyWarning]

    package static let empty = PolicyBook(documents: [])

    /// The workspace by its name and its id. Without either every document is taken to be for it.
    package init(
        documents: [PolicyDocument], workspace: [String] = [],
        groups memberships: [String: [String]] = [:]
    ) {
        self.documents = documents
        let groups = Groups(memberships)
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
        warnings =
            assigned.filter { !isHere($0) }.map {
                .otherWorkspaces($0.workspaces ?? [], document: $0.label)
            } + inForce.flatMap { groups.unknown(in: $0) }
    }

    /// As it would be with these documents in a file.
    package func replacing(_ file: String, with new: [PolicyDocument]) -> PolicyBook {
        PolicyBook(
            documents: documents.filter { $0.file != file } + new, workspace: workspace,
            groups: members)
    }

    /// What the documents that cover an account ask of it together.
    package func policy(for account: Identity) -> EffectivePolicy {
        .merge(documents(for: account))
    }

    /// The protections that cover an account. Another one replaces the tenant's default, but not
    /// one of another system: of that only some words count here.
    package func documents(for account: Identity) -> [PolicyDocument] {
        let covering = covering(account, .protection)
        let replacesDefault = covering.contains { !$0.isDefault && !$0.isOfOtherSystem }
        return replacesDefault ? covering.filter { !$0.isDefault } : covering
    }

    /// True if a protection covers the account.
    package func covers(_ account: Identity) -> Bool { !documents(for: account).isEmpty }

    /// What is delivered to an account's programs. A default protection may carry a default
    /// configuration.
    package func configuration(for account: Identity) -> AppConfiguration {
        let delivering =
            covering(account, .configuration)
            + covering(account, .protection).filter { !$0.customSettings.isEmpty }
        return AppConfiguration(delivering)
    }

    /// Those of ``warnings`` that are about these.
    package func warnings(about some: [PolicyDocument]) -> [PolicyWarning] {
        warnings.filter { warning in
            switch warning {
            case .unknownGroup(_, let label), .otherWorkspaces(_, let label):
                some.contains { $0.label == label }
            default: false
            }
        }
    }

    func covering(
        _ account: Identity, _ kind: PolicyDocument.Kind
    ) -> [PolicyDocument] {
        inForce.filter { $0.kind == kind && groups.cover(account, $0.assignments) }
    }
}
