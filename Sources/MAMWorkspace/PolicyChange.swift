// Puts new policies in force, and notifies listeners.

internal import MAMAudit
internal import MAMKeyring
internal import MAMModel
package import MAMPolicy
internal import MAMSettings
internal import MAMSystem
package import MAMTree
package import MAMVault

/// Puts new policies in force.
package struct PolicyChange: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Puts new documents in force: for new files at once, for others at their next open or unlock.
    /// Notifies the accounts that are affected.
    ///
    /// `book`: nil for the same documents. `refused`: files that could not be used.
    package func replacePolicies(_ book: PolicyBook?, refused: [RefusedDocument] = []) {
        let old = vault.policies
        vault.rules.replace(book, refused: refused)
        guard let book else { return }
        for account in vault.keyring.accounts {
            announceChanges(for: vault.identity(of: account), account, from: old, to: book)
            RecoveryUpdates(vault).updateRecovery(of: account)
        }
        ClassPass(tree).updateClassesOfUnlockedAccounts()
    }

    /// Puts in force what the organisation asks of the settings: as soon as new policies are. False
    /// if that is nothing new.
    package func replaceFleetSettings() -> Bool {
        guard vault.rules.ask(FleetSettings(of: vault.fleet?.standing)) else { return false }
        let words = "the organisation asks of the settings: \(askedForWords)"
        vault.audit(.policyChanged, nil, words) { $0.reason = words }
        for account in vault.keyring.accounts { vault.announce(.policyChanged, account) }
        vault.enrollments.idleLocks.ring()
        return true
    }

    private var askedForWords: String {
        let words = vault.fleetSettings.map { setting in
            let value = String(decoding: setting.value.encoded(), as: UTF8.self)
            return "\(setting.key) \(value)"
        }
        return words.isEmpty ? "nothing" : words.joined(separator: ", ")
    }

    private func announceChanges(
        for identity: Identity, _ account: AccountID, from old: PolicyBook, to new: PolicyBook
    ) {
        let (before, after) = (old.policy(for: identity), new.policy(for: identity))
        if before != after || old.covers(identity) != new.covers(identity) {
            vault.announce(.policyChanged, account)
        }
        let classes = [before, after].map {
            vault.rules.settings.classRule($0).effectiveClass(asked: nil)
        }
        if classes[0] != classes[1] { vault.announce(.dataProtectionChanged, account) }
        if old.configuration(for: identity) != new.configuration(for: identity) {
            vault.announce(.appConfigurationChanged, account)
        }
    }
}
