// Opening again what needs no secret.

internal import MAMKeyring
package import MAMModel
internal import MAMSystem
internal import Synchronization

extension Vault {
    /// Ends a grace period, for all keys are still here, and unlocks an account that was registered
    /// without a passphrase. Other accounts stay as they are.
    ///
    /// That unlock is made by a thread of its own: it asks the probes, and whoever calls this may
    /// have a lock to make next.
    package func resume(_ account: AccountID) {
        guard let windows = windows(of: account) else { return }
        let lockCount = windows.lockCount
        let isOpen = transitions.withLock(account) {
            guard windows.hasAllKeys, block(of: account) == nil else { return false }
            openWindows(of: account)
            return true
        }
        if isOpen || keyring.hasPassphrase(account) || block(of: account) != nil { return }
        do throws(Errno) {
            try startThread(named: "resume") {
                do throws(KeyringError) {
                    try self.unlock(account, passphrase: nil, since: lockCount)
                } catch { self.log.error("\(self.identity(of: account)): \(error)") }
            }
        } catch { log.error("\(identity(of: account)) stays locked: no thread: \(error)") }
    }
}
