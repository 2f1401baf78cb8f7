// The two names of an account: what people type, and what the directory knows it by.

package import MAMCrypto
package import MAMKeyring
package import MAMModel
internal import MAMSystem

extension Vault {
    /// Gives an account that was registered by its name alone its object id. What carries either is
    /// the account's from now on; no file is written.
    package func link(
        _ account: AccountID, objectID: String, passphrase: SecretBytes?
    ) throws(KeyringError) {
        // It takes the passphrase as an unlock does: a wrong one is one, and where none is taken
        // this takes none.
        try refuseBlocked(account)
        do throws(KeyringError) {
            try keyring.link(account, objectID: objectID, passphrase: passphrase)
        } catch {
            if case .wrongPassphrase = error { noteWrongPassphrase(of: account) }
            throw error
        }
        // Documents may be assigned to either.
        forgetPolicies()
        log.info("\(keyring.identity(of: account)) has the object id \(objectID)")
        updateRecovery(of: account)
    }
}
