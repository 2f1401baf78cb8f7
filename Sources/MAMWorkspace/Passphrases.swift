// Changes passphrases.

internal import MAMAudit
package import MAMCrypto
internal import MAMEnrollment
internal import MAMFormat
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Changes passphrases, and checks new ones.
package struct Passphrases: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Wraps the account's keys under a new passphrase, which must satisfy policy and ends a block
    /// that requires one. Files change only if there was no passphrase: they are then sealed under
    /// new keys.
    package func changePassphrase(
        of account: AccountID, from old: SecretBytes?, to new: SecretBytes?
    ) throws(KeyringError) {
        try refuseUnchangeable(account)
        let policy = vault.policy(of: account)
        try judgeNew(new, policy)
        try Unlock(tree).trying(account) { () throws(KeyringError) in
            try vault.keyring.changePassphrase(
                account, from: old, to: new, replacingAll: policy.pin.limitsChanges,
                previousBlockCount: policy.pin.previousBlockCount)
        }
        PassphraseHelp(tree).end(account)
        noteNew(of: account, "the passphrase of \(vault.identity(of: account)) was changed")
    }

    /// In place of a forgotten one, which an opened export of the account's present keys replaces.
    /// A lock-out stays until a login, and a wipe that is due stays due. `source`: where the keys
    /// are from, for the audit.
    package func resetPassphrase(
        of account: AccountID, with export: KeyExport, _ opened: ExportedKeys,
        to new: SecretBytes?, user: UInt32, source: String? = nil
    ) throws(KeyringError) {
        try requireResettable(account)
        let policy = vault.policy(of: account)
        try judgeNew(new, policy)
        try vault.keyring.resetPassphrase(
            account, with: export, opened, to: new,
            previousBlockCount: policy.pin.previousBlockCount)
        let source = source ?? export.source
        noteNew(
            of: account,
            "the passphrase of \(vault.identity(of: account)) was reset by uid \(user) with"
                + " \(source)",
            reason: "reset with \(source)")
    }

    /// Refused while a block stands that a passphrase does not end.
    func refuseUnchangeable(_ account: AccountID) throws(KeyringError) {
        if let block = vault.block(of: account), ![.recheck, .passphrase].contains(block.kind) {
            throw .blocked(block)
        }
    }

    /// Refused while a block stands that a new passphrase must not end.
    func requireResettable(_ account: AccountID) throws(KeyringError) {
        guard let block = vault.block(of: account),
            ![.recheck, .passphrase].contains(block.kind)
        else { return }
        guard block.kind == .lockedOut, vault.policy(of: account).pin.wipesAfter == nil else {
            throw .blocked(block)
        }
    }

    private func noteNew(of account: AccountID, _ text: String, reason: String? = nil) {
        vault.audit(.passphraseChanged, account, text) { $0.reason = reason }
        RecoveryUpdates(vault).updateRecovery(of: account)
        if vault.windows[account]?.hasAllKeys == true {
            ClassPass(tree).updateClasses(of: account)
        }
        Enrollment(tree).happen(.newPassphrase, to: account, as: .policy)
    }

    /// Refuses a new passphrase that violates policy.
    func judgeNew(_ passphrase: SecretBytes?, _ policy: EffectivePolicy) throws(KeyringError) {
        let pin = policy.pin
        guard let passphrase else {
            if pin.isRequired {
                throw .refused(
                    "policy requires a passphrase (pinRequired): leave --no-passphrase out",
                    cause: .policy)
            }
            return
        }
        guard RecoveryWords.entropy(of: passphrase) == nil else {
            throw .refused(
                "a recovery passphrase is none for every day, and has a key slot of its own",
                next: "mamctl slot add --type recovery", cause: .passphrase)
        }
        if let flaw = passphrase.withBytes({ pin.flaw(in: $0) }) {
            throw .refused("the passphrase is not good enough: \(flaw)", cause: .passphrase)
        }
    }
}
