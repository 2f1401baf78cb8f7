// The two names of an account: what people type, and what the directory knows it by.

package import MAMCrypto
package import MAMKeyring
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Gives an account the object id that belongs to its name.
package struct Link: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// Gives an account that was registered by its name alone its object id. What carries either is
    /// the account's from now on; no file is written.
    package func link(
        _ account: AccountID, objectID: String, passphrase: SecretBytes?
    ) throws(KeyringError) {
        // It takes the passphrase as an unlock does: a wrong one is one, and where none is taken
        // this takes none.
        try vault.refuseBlocked(account)
        do throws(KeyringError) {
            try vault.keyring.link(account, objectID: objectID, passphrase: passphrase)
        } catch {
            if case .wrongPassphrase = error { Unlock(tree).noteWrongPassphrase(of: account) }
            throw error
        }
        // Documents may be assigned to either.
        vault.forgetPolicies()
        vault.log.info("\(vault.identity(of: account)) has the object id \(objectID)")
        RecoveryUpdates(vault).updateRecovery(of: account)
    }
}
