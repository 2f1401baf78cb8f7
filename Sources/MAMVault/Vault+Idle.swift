// Locking accounts whose files nobody has used for a while.

internal import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMSystem

extension Vault {
    /// Not by the thread that waits for what else time brings: that may have to wait for programs
    /// of the administrator's.
    func startIdleLocks() throws(Errno) {
        try startThread(named: "idle-locks") { [weak self] in
            while let self {
                let next = self.lockIdle().min() ?? Self.longestPauseSeconds
                self.enrollments.idleWakeUp.wait(atMostSeconds: next)
            }
        }
    }

    /// An account that is opened, or a policy that says something else, is not waited for that
    /// long.
    private static let longestPauseSeconds: Int64 = 3600

    /// Locks what was not used for as long as the settings say, or as policy says
    /// (`periodOnlineBeforeAccessCheck`); after how many seconds each of the others is to be looked
    /// at.
    ///
    /// A use is an open, a read or a write that comes to the daemon. What a program reads again
    /// from the kernel's cache does not come to it.
    @discardableResult
    func lockIdle() -> [Int64] {
        var due: [AccountID] = []
        let pauses = keyring.accounts.compactMap { account -> Int64? in
            guard let (idle, limit, _) = idle(account) else { return nil }
            // Late by a quarter of the limit at most, and by five seconds.
            if idle < limit { return max(1, min(5, limit / 4)) }
            due.append(account)
            return nil
        }
        _ = sideBySide(due, named: "idle-lock") { self.closeIdle($0) }
        return pauses
    }

    private func closeIdle(_ account: AccountID) {
        guard let (idle, limit, recheck) = idle(account), idle >= limit else { return }
        let name = identity(of: account)
        if let recheck, idle >= recheck {
            block(
                account,
                AccountBlock(
                    .recheck,
                    "not used for \(recheck) s (periodOnlineBeforeAccessCheck): mamctl unlock"
                        + " \(name)"
                ))
        } else {
            log.info("\(name) was not used for \(limit) s")
            lock(account, now: false)
        }
    }

    /// For how long an unlocked account was not used, and for how long it may be; nil if that is
    /// for ever. `recheck`: when its passphrase is asked for anew.
    func idle(_ account: AccountID) -> (seconds: Int64, limit: Int64, recheck: Int64?)? {
        guard let windows = windows(of: account), windows.state == .unlocked else { return nil }
        let recheck = facts(of: account).recheckSeconds
        let lock = settings.idleLockSeconds > 0 ? Int64(settings.idleLockSeconds) : nil
        guard let limit = [recheck, lock].compactMap(\.self).min() else { return nil }
        let seconds = enrollments.idleSeconds(
            of: account, isUsed: windows.takeUse(), now: clock.now.secondsSinceBoot)
        return (seconds, limit, recheck)
    }
}
