// Opening an account's windows, once its keys are at hand.

package import MAMCrypto
package import MAMKeyring
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault
internal import Synchronization

/// Brings an account's keys to hand, and opens its windows.
package struct Unlock: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// Opens an account's windows.
    ///
    /// `passphrase`: nil for an account that was registered without one.
    package func unlock(
        _ account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) {
        try unlock(account, passphrase: passphrase, since: vault.lockCount(of: account))
    }

    /// `lockCount`: as it was when the unlock was asked for.
    func unlock(
        _ account: AccountID, passphrase: SecretBytes?, since lockCount: Int
    ) throws(KeyringError) {
        try vault.refuseBlocked(account)
        LaunchChecks(tree).checkLaunch(account)
        // Before the transition: a lock need not wait for the derivation.
        let keys = try judgedKeys(of: account, passphrase: passphrase)
        try bringToHand(keys, of: account, since: lockCount)
    }

    /// The end of an unlock, unless a lock or a block came meanwhile.
    func bringToHand(
        _ keys: AccountKeys, of account: AccountID, since lockCount: Int
    ) throws(KeyringError) {
        try vault.transitions.withLock(account) { () throws(KeyringError) in
            // A lock that comes after this look waits for this, and closes what is opened here.
            guard lockCount == vault.lockCount(of: account) else { throw .lockedMeanwhile(account) }
            // In one look: a block that comes after it waits for this, and closes what is opened
            // here.
            let block = vault.blocks.withLock { blocks in
                if blocks[account]?.endsWithUnlock == true { blocks[account] = nil }
                return blocks[account]
            }
            if let block { throw .blocked(block) }
            try vault.keyring.setUnlocked(account, keys: keys)
            openWindows(of: account)
        }
        RecoveryUpdates(vault).updateRecovery(of: account)
    }

    /// The keys are at hand. The caller holds the account's `transitions`.
    func openWindows(of account: AccountID) {
        guard vault.windows(of: account)?.unlock() == true else { return }
        vault.keyNews.tell()
        vault.enrollments.idleWakeUp.signal()
        vault.audit(.unlocked, account, "\(vault.identity(of: account)) is unlocked")
        vault.announce(.available, account)
        ClassPass(tree).updateClasses(of: account)
    }

    /// Opens the accounts that were registered without a passphrase: nobody would have to be asked.
    package func unlockWithoutPassphrase() {
        for account in vault.keyring.accounts where !vault.keyring.hasPassphrase(account) {
            do throws(KeyringError) {
                try unlock(account, passphrase: nil)
            } catch { vault.log.error("\(vault.identity(of: account)): \(error)") }
        }
    }
}
