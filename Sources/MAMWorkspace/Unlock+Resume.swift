// Opening again what needs no secret.

internal import MAMKeyring
package import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault

extension Unlock {
    /// Ends a grace period, for all keys are still here, and unlocks an account that was registered
    /// without a passphrase. Other accounts stay as they are.
    ///
    /// That unlock is made by a thread of its own: it asks the probes, and whoever calls this may
    /// have a lock to make next.
    package func resume(_ account: AccountID) {
        guard let windows = vault.windows(of: account) else { return }
        let lockCount = windows.lockCount
        let isOpen = vault.transitions.withLock(account) {
            guard windows.hasAllKeys, vault.block(of: account) == nil else { return false }
            openWindows(of: account)
            return true
        }
        if isOpen || vault.keyring.hasPassphrase(account) || vault.block(of: account) != nil {
            return
        }
        do throws(Errno) {
            try startThread(named: "resume") {
                do throws(KeyringError) {
                    try unlock(account, passphrase: nil, since: lockCount)
                } catch { vault.log.error("\(vault.identity(of: account)): \(error)") }
            }
        } catch {
            vault.log.error("\(vault.identity(of: account)) stays locked: no thread: \(error)")
        }
    }
}
