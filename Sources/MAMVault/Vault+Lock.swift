// Closing and opening windows, in the order that neither leaks nor loses anything (docs/ARCHITECTURE.md).

internal import Glibc
package import MAMCrypto
internal import MAMFormat
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMStore
internal import MAMSystem
internal import Synchronization

extension Vault {
    /// Locks an account: at once, or after the grace period, which an unlock cancels.
    ///
    /// Never call this from a thread that serves the mount: it waits for the kernel, which waits for those.
    package func lock(_ account: AccountID, now: Bool) {
        guard let windows = windows(of: account) else { return }
        let grace = settings.lockGraceSeconds
        if now || grace == 0 { return close(account) }
        guard windows.beginGrace() else { return }
        log.info("\(keyring.identity(of: account)) will be locked in \(grace) s")
        do throws(Errno) {
            try startThread(named: "lock-grace") { self.waitOutGrace(of: account, windows, grace) }
        } catch {
            // No thread to wait in: better now than never.
            close(account)
            _ = windows.currentGrace()
        }
    }

    /// Waits for the end of a grace period, and of the one that was begun meanwhile, if the first was cancelled.
    private func waitOutGrace(of account: AccountID, _ windows: AccountWindows, _ seconds: Int) {
        while let grace = windows.currentGrace() {
            for _ in 0..<seconds where windows.isCurrent(grace) { sleep(1) }
            close(account, atEndOf: grace)
        }
    }

    /// Closes classes A and B and drops their keys. Returns when nothing readable is left.
    ///
    /// `grace`: the grace period that ended; nothing happens if an unlock came first.
    private func close(_ account: AccountID, atEndOf grace: Int? = nil) {
        guard let windows = windows(of: account) else { return }
        transitions.withLock { _ in
            guard windows.state == .unlocked || windows.state == .grace else { return }
            if let grace, !windows.isCurrent(grace) { return }
            windows.beginClosing()
            // The kernel sends what it has cached, and drops the pages, before the keys go.
            let ring = keyring
            cachePurger?.purge { header, isOpen in
                guard let sealing = header.sealing, ring.account(ofKey: sealing.keyID) == account
                else { return false }
                switch sealing.protectionClass {
                case .complete: return true
                case .completeUnlessOpen: return !isOpen
                case .completeUntilFirstUserAuthentication, .none: return false
                }
            }
            let files = openFiles.all.filter { isClosing($0, of: account) }
            synchronize(files)
            windows.finishClosing()
            keyring.dropLockedKeys(account)
            for file in files { file.stored.revokeKey() }
            log.info("\(keyring.identity(of: account)) is locked")
        }
    }

    private func isClosing(_ file: VaultFile, of account: AccountID) -> Bool {
        guard let sealing = file.header?.sealing else { return false }
        return sealing.protectionClass == .complete
            && keyring.account(ofKey: sealing.keyID) == account
    }

    private func synchronize(_ files: [VaultFile]) {
        for file in files {
            do throws(Errno) {
                try file.synchronize(dataOnly: true)
            } catch {
                log.error("a file of \(file.owner) could not be synced before the lock: \(error)")
            }
        }
    }

    /// Opens an account's windows.
    ///
    /// `passphrase`: nil for an account that was registered without one.
    package func unlock(
        _ account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) {
        // Held over the derivation too: a lock that came in between would drop the keys of open windows.
        try transitions.withLock { _ throws(KeyringError) in
            try keyring.unlock(account, passphrase: passphrase)
            windows(of: account)?.unlock()
        }
        log.info("\(keyring.identity(of: account)) is unlocked")
    }

    /// Opens the accounts that were registered without a passphrase: nobody would have to be asked.
    package func unlockWithoutPassphrase() {
        for account in keyring.accounts where !keyring.hasPassphrase(account) {
            do throws(KeyringError) {
                try unlock(account, passphrase: nil)
            } catch { log.error("\(keyring.identity(of: account)): \(error)") }
        }
    }

    /// Locks every account, as a daemon that is stopped does while the mount still serves.
    package func lockAll() {
        for account in keyring.accounts { close(account) }
    }

    /// Erases all keys but those of class D, once nothing can be written any more.
    package func dropAllKeys() { keyring.dropAllKeys() }
}
