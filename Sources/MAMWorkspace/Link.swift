// Links an account's name with the directory's object id.

package import MAMCrypto
package import MAMKeyring
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Sets the object id of an account.
package struct Link: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// Sets the object id of an account that was registered by name only. Files with either are the
    /// account's from now on; none is written.
    package func link(
        _ account: AccountID, objectID: String, passphrase: SecretBytes?
    ) throws(KeyringError) {
        // Needs the passphrase as an unlock does: a wrong one counts, and none is accepted while an
        // unlock would be refused.
        try vault.refuseBlocked(account)
        try Unlock(tree).trying(account) { () throws(KeyringError) in
            try vault.keyring.link(account, objectID: objectID, passphrase: passphrase)
        }
        // Documents may be assigned to either.
        vault.rules.forgetAccounts()
        vault.log.info("\(vault.identity(of: account)) has the object id \(objectID)")
        RecoveryUpdates(vault).updateRecovery(of: account)
    }
}
