// Opens an account's windows once its keys are loaded.

internal import MAMAudit
package import MAMCrypto
package import MAMKeyring
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Loads an account's keys and opens its windows.
package struct Unlock: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// Opens an account's windows.
    ///
    /// `passphrase`: nil for an account without one.
    package func unlock(
        _ account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) {
        try unlock(account, passphrase: passphrase, since: vault.lockCount(of: account))
    }

    /// `lockCount`: its value when the unlock was requested.
    func unlock(
        _ account: AccountID, passphrase: SecretBytes?, since lockCount: Int
    ) throws(KeyringError) {
        try vault.refuseBlocked(account)
        LaunchChecks(tree).checkLaunch(account)
        // Before the transition, so that a lock need not wait for the derivation.
        let keys = try judgedKeys(of: account, passphrase: passphrase)
        try bringToHand(keys, of: account, since: lockCount)
    }

    /// Completes an unlock, unless a lock or a block came meanwhile.
    func bringToHand(
        _ keys: AccountKeys, of account: AccountID, since lockCount: Int
    ) throws(KeyringError) {
        try vault.windows.transition(of: account) { () throws(KeyringError) in
            // A lock after this check waits for this, and closes what is opened here.
            guard lockCount == vault.lockCount(of: account) else { throw .lockedMeanwhile(account) }
            if let block = vault.enrollments.blocks.noteUnlock(of: account) {
                throw .blocked(block)
            }
            try vault.keyring.setUnlocked(account, keys: keys)
            openWindows(of: account)
        }
        RecoveryUpdates(vault).updateRecovery(of: account)
    }

    /// The keys are loaded. Part of the account's transition.
    func openWindows(of account: AccountID) {
        ContainedCaches(tree).clearLeftovers(of: account)
        guard vault.windows[account]?.unlock() == true else { return }
        vault.windows.keyNews.tell()
        vault.enrollments.idleLocks.ring()
        vault.audit(.unlocked, account, "\(vault.identity(of: account)) is unlocked")
        vault.announce(.available, account)
        ClassPass(tree).updateClasses(of: account)
    }

    /// Unlocks the accounts without a passphrase.
    package func unlockWithoutPassphrase() {
        for account in vault.keyring.accounts where !vault.keyring.hasPassphrase(account) {
            do throws(KeyringError) {
                try unlock(account, passphrase: nil)
            } catch { vault.log.error("\(vault.identity(of: account)): \(error)") }
        }
    }
}
