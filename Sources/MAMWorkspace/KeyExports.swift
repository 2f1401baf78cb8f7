// Exports an account's keys for another machine.

internal import MAMAudit
package import MAMCrypto
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Exports an account's keys under a passphrase.
package struct KeyExports: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// Exports the account's keys under a separate passphrase. Requires the account's passphrase
    /// even while it is unlocked; a wrong one counts. If the export's passphrase is too weak, the
    /// account's is not tried.
    package func exportKeys(
        of account: AccountID, passphrase: SecretBytes?, under exportPassphrase: SecretBytes
    ) throws(KeyringError) -> KeyExport {
        try vault.refuseBlocked(account)
        guard vault.policy(of: account).rules.dataBackupBlocked != true else {
            throw .refused(
                "policy does not let \(vault.identity(of: account)) be backed up"
                    + " (dataBackupBlocked): its keys stay here", cause: .policy)
        }
        try judge(export: exportPassphrase, vault.policy(of: account))
        let export = try Unlock(tree).trying(account) { () throws(KeyringError) in
            try vault.keyring.export(account, passphrase: passphrase, under: exportPassphrase)
        }
        vault.audit(
            .keysExported, account, "the keys of \(vault.identity(of: account)) were exported")
        return export
    }

    private func judge(
        export passphrase: SecretBytes, _ policy: EffectivePolicy
    ) throws(KeyringError) {
        guard let flaw = passphrase.withBytes({ policy.pin.flaw(forFile: $0) }) else { return }
        throw .refused(
            "the export's passphrase is not good enough: \(flaw)",
            next: "mamctl account export, with a better passphrase", cause: .passphrase)
    }
}
