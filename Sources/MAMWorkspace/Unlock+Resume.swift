// Opens accounts again that need no passphrase.

internal import MAMKeyring
package import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault

extension Unlock {
    /// Cancels a grace period, in which all keys are still loaded, and unlocks an account without a
    /// passphrase. Leaves other accounts alone.
    ///
    /// The unlock runs on its own thread, because it runs the probes, and the caller may have to
    /// lock next.
    package func resume(_ account: AccountID) {
        guard let windows = vault.windows[account] else { return }
        let lockCount = windows.lockCount
        let isOpen = vault.windows.transition(of: account) {
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
