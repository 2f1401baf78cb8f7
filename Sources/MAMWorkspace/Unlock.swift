// Opens an account's windows once its keys are loaded.

internal import MAMAudit
package import MAMCrypto
internal import MAMEnrollment
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Loads an account's keys and opens its windows.
package struct Unlock: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Opens an account's windows.
    ///
    /// `passphrase`: nil for an account without one, or for a slot without a PIN. `slot`: the only
    /// one to try; a chip's is not tried without.
    package func unlock(
        _ account: AccountID, passphrase: SecretBytes?, slot: KeySlot.ID? = nil
    ) throws(KeyringError) {
        try unlock(
            account, passphrase: passphrase, slot: slot, since: vault.lockCount(of: account))
    }

    /// `lockCount`: its value when the unlock was requested.
    func unlock(
        _ account: AccountID, passphrase: SecretBytes?, slot: KeySlot.ID? = nil,
        since lockCount: Int
    ) throws(KeyringError) {
        try vault.refuseBlocked(account)
        LaunchChecks(tree).checkLaunch(account)
        // Before the transition, so that a lock need not wait for the derivation.
        let keys = try judgedKeys(of: account, passphrase: passphrase, slot: slot)
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

// The consequences of right and wrong passphrases.
extension Unlock {
    /// Unwraps the keys, and applies the consequences of the passphrase, right or wrong.
    func judgedKeys(
        of account: AccountID, passphrase: SecretBytes?, slot: KeySlot.ID? = nil
    ) throws(KeyringError) -> AccountKeys {
        if slot != nil, passphrase == nil { try KeySlots(tree).refuseWithoutSecret(account) }
        let keys = try trying(account) { () throws(KeyringError) in
            try vault.keyring.openKeys(of: account, passphrase: passphrase, slot: slot)
        }
        if let passphrase {
            noteRight(passphrase, of: account)
            PassphraseHelp(tree).end(account)
        }
        return keys
    }

    /// Runs what tries the account's passphrase. A wrong one, which the keyring counts, is audited
    /// and has its consequences; one that was not tried on all slots, for lack of memory, has none,
    /// because the others may have it. It counts nevertheless.
    func trying<Value>(
        _ account: AccountID, _ body: () throws(KeyringError) -> Value
    ) throws(KeyringError) -> Value {
        do throws(KeyringError) { return try body() } catch {
            if case .wrongPassphrase = error { noteWrongPassphrase(of: account) }
            throw error
        }
    }

    private func noteWrongPassphrase(of account: AccountID) {
        let count = vault.keyring.failureCount(account)
        vault.audit(
            .wrongPassphrase, account, "a wrong passphrase for \(vault.identity(of: account))"
        ) {
            $0.reason = "wrong passphrases one after the other: \(count)"
        }
        Enrollment(tree).happen(.wrongPassphrase(count: count), to: account, as: .policy)
    }

    private func noteRight(_ passphrase: SecretBytes, of account: AccountID) {
        let pin = vault.policy(of: account).pin
        let flaw = passphrase.withBytes { pin.flaw(in: $0) }
        // Policy's rules are for what people choose.
        let isRecovery = RecoveryWords.entropy(of: passphrase) != nil
        Enrollment(tree).happen(
            isRecovery ? .recovered : .opened(flaw: flaw?.description), to: account, as: .policy)
    }
}

// Opens accounts again that need no passphrase.
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
