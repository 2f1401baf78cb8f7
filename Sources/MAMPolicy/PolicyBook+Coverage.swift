// The accounts for which a document is in force; if none, why, and what helps.

package import MAMModel

/// The result of putting a document in force.
package struct PolicyCoverage: Sendable {
    package let document: String
    package let accounts: [Identity]
    /// Why it is in force for no account.
    package let obstacle: String?
    package let next: String?
}

extension PolicyBook {
    package func coverage(
        of document: PolicyDocument, among accounts: [Identity]
    ) -> PolicyCoverage {
        let covered = accounts.filter { isInForce(document, for: $0) }
        let found = covered.isEmpty ? obstacle(to: document, accounts) : nil
        return PolicyCoverage(
            document: document.label, accounts: covered, obstacle: found?.why, next: found?.next)
    }

    package func isInForce(_ document: PolicyDocument, for account: Identity) -> Bool {
        let inForce =
            document.kind == .protection
            ? documents(for: account) : covering(account, document.kind)
        return inForce.contains(document)
    }

    private func obstacle(
        to document: PolicyDocument, _ accounts: [Identity]
    ) -> (why: String, next: String) {
        guard document.isAssigned else {
            return ("isAssigned is false", "set isAssigned to true, and import it again")
        }
        let name = workspace.first ?? ""
        if let meant = document.workspaces, !meant.contains(where: isThis) {
            let apps = meant.isEmpty ? "have no bundleId" : "are \(fewNames(meant))"
            return (
                "its apps \(apps), and this workspace is \(name)",
                "add \(name) to apps as a bundleId, or set appGroupType to allApps, "
                    + "and import it again"
            )
        }
        guard !accounts.isEmpty else {
            return ("no account is registered", "mamctl account register UPN")
        }
        guard accounts.contains(where: { groups.cover($0, document.assignments) }) else {
            return (
                "no account is in the groups of its assignments",
                "list their members in the setting Groups"
            )
        }
        return (
            "it is the tenant's default, and another document covers every account",
            "mamctl policy show names it"
        )
    }

    private func isThis(_ name: String) -> Bool { workspace.contains(name.lowercased()) }
}
