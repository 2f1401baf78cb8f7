// The policies in force, and whom each of them covers.

package import MAMModel

/// All documents of one workspace.
package struct PolicyBook: Sendable, Equatable {
    package let documents: [PolicyDocument]
    /// Those that are in force in this workspace.
    private let inForce: [PolicyDocument]
    private let groups: Groups

    package static let empty = PolicyBook(documents: [])

    /// The workspace by its name and its id. Without either every document is taken to be for it.
    package init(
        documents: [PolicyDocument], workspace: [String] = [], groups: [String: [String]] = [:]
    ) {
        self.documents = documents
        self.groups = Groups(groups)
        let names = workspace.map { $0.lowercased() }
        inForce = documents.filter { document in
            guard let covered = document.workspaces, !names.isEmpty else {
                return document.isAssigned
            }
            return document.isAssigned && covered.contains { names.contains($0.lowercased()) }
        }
    }

    /// What the documents that cover an account ask of it together.
    package func policy(for account: Identity) -> EffectivePolicy {
        .merge(documents(for: account))
    }

    /// The protections that cover an account: the tenant's default only where there is no other one.
    package func documents(for account: Identity) -> [PolicyDocument] {
        let covering = covering(account, .protection)
        let targeted = covering.filter { !$0.isDefault }
        return targeted.isEmpty ? covering : targeted
    }

    /// True if a protection covers the account.
    package func covers(_ account: Identity) -> Bool { !documents(for: account).isEmpty }

    /// What is delivered to an account's programs. A default protection may carry a default configuration.
    package func configuration(for account: Identity) -> AppConfiguration {
        let delivering =
            covering(account, .configuration)
            + covering(account, .protection).filter { !$0.customSettings.isEmpty }
        return AppConfiguration(delivering)
    }

    private func covering(
        _ account: Identity, _ kind: PolicyDocument.Kind
    ) -> [PolicyDocument] {
        inForce.filter { $0.kind == kind && groups.cover(account, $0.assignments) }
    }

    /// What the documents say about this workspace that their writers may not have meant.
    package var warnings: [PolicyWarning] {
        documents.flatMap { document -> [PolicyWarning] in
            guard document.isAssigned else { return [] }
            guard inForce.contains(document) else {
                return [.otherWorkspaces(document.workspaces ?? [], document: document.label)]
            }
            return document.assignments.compactMap { assignment in
                switch assignment {
                case .everyone, .account: nil
                case .group(let group), .allBut(let group):
                    groups.knows(group)
                        ? nil : .unknownGroup(group, document: document.label)
                }
            }
        }
    }
}
