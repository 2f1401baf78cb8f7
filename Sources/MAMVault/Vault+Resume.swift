// Opening again what needs no secret.

package import MAMKeyring
package import MAMModel
internal import MAMSystem
internal import Synchronization

extension Vault {
    /// Ends a grace period, for all keys are still here, and unlocks an account that was registered without a
    /// passphrase. Other accounts stay as they are.
    package func resume(_ account: AccountID) throws(KeyringError) {
        guard let windows = windows(of: account) else { return }
        let isOpen = transitions.withLock { _ in
            guard windows.hasAllKeys, block(of: account) == nil else { return false }
            openWindows(of: account)
            return true
        }
        if !isOpen, !keyring.hasPassphrase(account), block(of: account) == nil {
            try unlock(account, passphrase: nil)
        }
    }
}
