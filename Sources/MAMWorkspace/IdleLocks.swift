// Locks accounts with idle files.

internal import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Locks idle accounts.
package struct IdleLocks: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

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
            guard let (idle, limit, _) = Accounts(vault).idle(account) else { return nil }
            if idle < limit { return Self.pauseSeconds(limit) }
            due.append(account)
            return nil
        }
        _ = sideBySide(due, named: "idle-lock") { closeIdle($0) }
        return pauses
    }

    /// At most a quarter of the limit late, and at most five seconds.
    private static func pauseSeconds(_ limit: Int64) -> Int64 { max(1, min(5, limit / 4)) }

    /// Looks in time for an account that may have a limit since now.
    func expectIdle(_ facts: EnrollmentFacts) {
        guard let limit = Accounts(vault).idleLimit(facts) else { return }
        vault.enrollments.idleLocks.ring(within: Self.pauseSeconds(limit))
    }

    private func closeIdle(_ account: AccountID) {
        guard let (idle, limit, recheck) = Accounts(vault).idle(account), idle >= limit else {
            return
        }
        let name = vault.identity(of: account)
        if let recheck, idle >= recheck {
            Block(tree).block(
                account,
                AccountBlock(
                    .recheck,
                    "not used for \(recheck) s (periodOnlineBeforeAccessCheck): mamctl unlock"
                        + " \(name)"
                ))
        } else {
            vault.log.info("\(name) was not used for \(limit) s")
            Lock(tree).lock(account, now: false)
        }
    }
}
