// Locks accounts with idle files.

internal import MAMEnrollment
internal import MAMKeyring
package import MAMModel
internal import MAMSystem
package import MAMTree
package import MAMVault

/// Locks idle accounts.
package struct IdleLocks: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// On its own thread: that of the other timers may have to wait for the administrator's
    /// programs.
    func startIdleLocks() throws(Errno) {
        try startThread(named: "idle-locks") {
            while true {
                let next = lockIdle().min() ?? Self.longestPauseSeconds
                vault.enrollments.idleLocks.sleep(atMostSeconds: next)
            }
        }
    }

    /// The limit on sleeping, so that an unlock or a changed policy takes effect by then.
    private static let longestPauseSeconds: Int64 = 3600

    /// Locks accounts that were idle for as long as the settings or policy
    /// (`periodOnlineBeforeAccessCheck`) permit; returns the seconds until each of the others has
    /// to be checked.
    ///
    /// Use means an open, read or write that reaches the daemon. Reads from the kernel's cache do
    /// not.
    @discardableResult
    func lockIdle() -> [Int64] {
        var due: [AccountID] = []
        let pauses = vault.keyring.accounts.compactMap { account -> Int64? in
            let idle = Accounts(vault).idle(account)
            guard let idle, idle.left > 0 else {
                // A lock is told anyway.
                _ = vault.enrollments.noteIdleLock(of: account, isDue: false)
                if idle != nil { due.append(account) }
                return nil
            }
            tell(idle, account)
            return idle.pause
        }
        _ = sideBySide(due, named: "idle-lock") { closeIdle($0) }
        return pauses
    }

    /// Tells that the account will be locked, or no longer will.
    private func tell(_ idle: IdleTime, _ account: AccountID) {
        guard vault.enrollments.noteIdleLock(of: account, isDue: idle.isLockDue) else { return }
        vault.announce(
            idle.isLockDue ? .idleLockDue(seconds: Int(idle.left)) : .idleLockAverted, account)
    }

    /// Counts as use of an account, whatever the class of its files, and is no more than that: it
    /// stops neither a lock that has begun nor a block. Returns how long it may be idle from now.
    package func keepOpen(_ account: AccountID) throws(VaultError) -> IdleTime? {
        guard let windows = vault.windows[account], windows.state == .unlocked else {
            throw vault.closure(of: account, vault.identity(of: account))
        }
        windows.noteUse()
        if vault.enrollments.isIdleLockTold(of: account) { vault.enrollments.idleLocks.ring() }
        return Accounts(vault).idle(account)
    }

    /// Looks in time for an account that may have a limit since now.
    func expectIdle(_ facts: EnrollmentFacts) {
        guard let limit = Accounts(vault).idleLimit(facts) else { return }
        vault.enrollments.idleLocks.ring(within: IdleTime.pause(limit))
    }

    private func closeIdle(_ account: AccountID) {
        guard let idle = Accounts(vault).idle(account), idle.left == 0 else { return }
        let name = vault.identity(of: account)
        if let recheck = idle.recheck, idle.seconds >= recheck {
            Block(tree).block(
                account,
                AccountBlock(
                    .recheck,
                    "not used for \(recheck) s (periodOnlineBeforeAccessCheck): mamctl unlock"
                        + " \(name)"
                ))
        } else {
            vault.log.info("\(name) was not used for \(idle.limit) s")
            Lock(tree).lock(account, now: false)
        }
    }
}
