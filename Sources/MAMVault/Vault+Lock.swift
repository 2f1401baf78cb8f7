// Closing and opening windows, in the order that neither leaks nor loses anything
// (docs/ARCHITECTURE.md).

internal import Glibc
package import MAMCrypto
internal import MAMFormat
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMStore
internal import MAMSystem
internal import Synchronization

extension Deadline {
    /// Half a second from now at the earliest: enough for what nothing holds up.
    var orSoon: Deadline { max(self, Deadline(milliseconds: 500)) }
}

extension Vault {
    /// Locks an account: at once, or after the grace period, which an unlock cancels. Returns what
    /// was in the way of a lock that had to be finished all the same.
    ///
    /// Never call this from a thread that serves the mount: it waits for the kernel, which waits
    /// for those.
    @discardableResult
    package func lock(_ account: AccountID, now: Bool) -> [Straggler] {
        guard let windows = windows(of: account) else { return [] }
        windows.noteLock()
        let grace = settings.lockGraceSeconds
        if now || grace == 0 { return report(shut(account)) }
        // Told in the order in which things happen.
        let begun = transitions.withLock(account) {
            let begun = windows.beginGrace(seconds: grace)
            if begun != nil { announce(.willBecomeUnavailable(seconds: grace), account) }
            return begun
        }
        guard let begun else { return [] }
        log.info("\(keyring.identity(of: account)) will be locked in \(grace) s")
        guard begun == .needsTimer else { return [] }
        do throws(Errno) {
            try startThread(named: "lock-grace") { self.waitOutGrace(of: account, windows, grace) }
            return []
        } catch {
            // No thread to wait in: better now than never.
            defer { _ = windows.currentGrace() }
            return report(shut(account))
        }
    }

    /// Locks several accounts, none of which waits for another.
    @discardableResult
    package func lock(_ accounts: [AccountID], now: Bool) -> [Straggler] {
        sideBySide(accounts, named: "lock") { self.lock($0, now: now) }.flatMap(\.self)
    }

    /// Waits for the end of a grace period, and of the one that was begun meanwhile, if the first
    /// was cancelled.
    private func waitOutGrace(of account: AccountID, _ windows: AccountWindows, _ seconds: Int) {
        while let grace = windows.currentGrace() {
            for _ in 0..<seconds where windows.isCurrent(grace) { sleep(1) }
            _ = report(shut(account, atEndOf: grace))
        }
    }

    /// Closes classes A and B and drops their keys. Returns when nothing readable is left, or at
    /// the deadline: the numbers of the files that were in the way.
    ///
    /// `grace`: the grace period that ended; nothing happens if an unlock came first.
    /// `sharedDeadline`: nil for one of its own.
    private func shut(
        _ account: AccountID, atEndOf grace: Int? = nil, until sharedDeadline: Deadline? = nil
    ) -> [UInt64] {
        guard let windows = windows(of: account) else { return [] }
        return transitions.withLock(account) {
            guard windows.hasAllKeys else { return [] }
            if let grace, !windows.isCurrent(grace) { return [] }
            if windows.state != .grace { announce(.willBecomeUnavailable(seconds: 0), account) }
            return close(account, windows, everyClass: false, until: sharedDeadline)
        }
    }

    /// The steps of a lock, or with `everyClass` of a block. The caller holds the account's
    /// `transitions`. Returns the numbers of the files that were in the way.
    func close(
        _ account: AccountID, _ windows: AccountWindows, everyClass: Bool,
        until sharedDeadline: Deadline?
    ) -> [UInt64] {
        let deadline = sharedDeadline ?? Deadline(seconds: settings.lockDeadlineSeconds)
        let closing = everyClass ? windows.all : [windows.window(.complete)]
        if everyClass { windows.beginBlocking() } else { windows.beginClosing() }
        // What hangs in one step leaves the next ones time: other files have content to be stored.
        let soon = min(deadline, Deadline(seconds: 1))
        if !closing.map({ $0.drainUses(until: soon) }).allSatisfy(\.self) {
            reportLate("a read that the disk does not answer")
        }
        let isClosing: @Sendable (VaultFile) -> Bool = { file in
            closing.contains { $0 === file.window }
        }
        let left = purge(account, everyClass: everyClass, until: deadline.orSoon, isClosing)
        let files = openFiles.all.filter(isClosing)
        if !finishes(by: deadline.orSoon, named: "lock-sync", { self.synchronize(files) }) {
            reportLate("a disk that does not finish to write")
        }
        if everyClass {
            let hasKeyC = keyring.windowState(of: account) != .beforeFirstUnlock
            windows.finishBlocking(hasKeyC: hasKeyC)
        } else {
            windows.finishClosing()
        }
        keyring.dropLockedKeys(account)
        revokeKeys(of: files, until: deadline.orSoon)
        audit(.locked, account, "\(keyring.identity(of: account)) is locked")
        announce(.unavailable, account)
        return left
    }

    /// The kernel sends what it has cached, and drops the pages, before the keys go.
    private func purge(
        _ account: AccountID, everyClass: Bool, until deadline: Deadline,
        _ isClosing: @escaping @Sendable (VaultFile) -> Bool
    ) -> [UInt64] {
        let ring = keyring
        return mount?.purge(until: deadline) { file in
            switch file {
            case .open(let file): return isClosing(file)
            case .closed(let header):
                guard let sealing = header?.sealing else { return false }
                let locks: [ProtectionClass] = [.complete, .completeUnlessOpen]
                return (everyClass || locks.contains(sealing.protectionClass))
                    && ring.account(ofKey: sealing.keyID) == account
            }
        } ?? []
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

    /// Erases file keys. One that is in use by a request which does not end goes when that does.
    func revokeKeys(of files: [VaultFile], until deadline: Deadline) {
        let busy = files.filter { !$0.stored.revokeKey(until: deadline) }
        guard !busy.isEmpty else { return }
        reportLate("\(busy.count) files in use by requests that the disk does not answer")
        _ = finishes(by: deadline, named: "lock-revoke") {
            for file in busy { file.stored.revokeKey() }
        }
    }

    func reportLate(_ reason: String) {
        log.warning("the lock's deadline of \(settings.lockDeadlineSeconds) s passed: \(reason)")
    }

    /// More than so many are not named.
    private static let namedStragglers = 20

    func report(_ nodes: [UInt64]) -> [Straggler] {
        guard !nodes.isEmpty else { return [] }
        let stragglers = mount?.stragglers(Array(nodes.prefix(Self.namedStragglers))) ?? []
        for straggler in stragglers {
            log.warning(
                "locked at the deadline of \(settings.lockDeadlineSeconds) s although \(straggler);"
                    + " its further writes are lost"
            )
        }
        let unnamed = nodes.count - stragglers.count
        if unnamed > 0 { log.warning("so are \(unnamed) files more") }
        return stragglers
    }

    /// Opens an account's windows.
    ///
    /// `passphrase`: nil for an account that was registered without one.
    package func unlock(
        _ account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) {
        try unlock(account, passphrase: passphrase, since: lockCount(of: account))
    }

    /// `lockCount`: as it was when the unlock was asked for.
    func unlock(
        _ account: AccountID, passphrase: SecretBytes?, since lockCount: Int
    ) throws(KeyringError) {
        try refuseBlocked(account)
        checkLaunch(account)
        // Before the transition: a lock need not wait for the derivation.
        let keys = try judgedKeys(of: account, passphrase: passphrase)
        try bringToHand(keys, of: account, since: lockCount)
    }

    func lockCount(of account: AccountID) -> Int { windows(of: account)?.lockCount ?? 0 }

    /// The end of an unlock, unless a lock or a block came meanwhile.
    func bringToHand(
        _ keys: AccountKeys, of account: AccountID, since lockCount: Int
    ) throws(KeyringError) {
        try transitions.withLock(account) { () throws(KeyringError) in
            // A lock that comes after this look waits for this, and closes what is opened here.
            guard lockCount == self.lockCount(of: account) else { throw .lockedMeanwhile(account) }
            // In one look: a block that comes after it waits for this, and closes what is opened
            // here.
            let block = blocks.withLock { blocks in
                if blocks[account]?.endsWithUnlock == true { blocks[account] = nil }
                return blocks[account]
            }
            if let block { throw .blocked(block) }
            try keyring.setUnlocked(account, keys: keys)
            openWindows(of: account)
        }
        updateRecovery(of: account)
    }

    /// The keys are at hand. The caller holds the account's `transitions`.
    func openWindows(of account: AccountID) {
        guard windows(of: account)?.unlock() == true else { return }
        keyNews.tell()
        enrollments.idleWakeUp.signal()
        audit(.unlocked, account, "\(keyring.identity(of: account)) is unlocked")
        announce(.available, account)
        updateClasses(of: account)
    }

    /// Opens the accounts that were registered without a passphrase: nobody would have to be asked.
    package func unlockWithoutPassphrase() {
        for account in keyring.accounts where !keyring.hasPassphrase(account) {
            do throws(KeyringError) {
                try unlock(account, passphrase: nil)
            } catch { log.error("\(keyring.identity(of: account)): \(error)") }
        }
    }

    /// Locks every account, all by one deadline: the machine is to sleep, or the daemon to end
    /// while the mount still serves.
    package func lockAll() {
        let deadline = Deadline(seconds: settings.lockDeadlineSeconds)
        let accounts = keyring.accounts
        for account in accounts { windows(of: account)?.noteLock() }
        // Side by side: one user's program that does not let go must not keep another's keys here.
        let left = sideBySide(accounts, named: "lock") { self.shut($0, until: deadline) }
        // Only now: looking for who it was takes its time.
        _ = report(left.flatMap(\.self))
    }

    /// Erases all keys but those of class D, once nothing can be written any more.
    package func dropAllKeys() { keyring.dropAllKeys() }
}
