// Locking accounts whose files nobody has used for a while.

internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Locks what nobody has used for a while.
package struct IdleLocks: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// Not by the thread that waits for what else time brings: that may have to wait for programs
    /// of the administrator's.
    func startIdleLocks() throws(Errno) {
        try startThread(named: "idle-locks") {
            while true {
                let next = lockIdle().min() ?? Self.longestPauseSeconds
                vault.enrollments.idleWakeUp.wait(atMostSeconds: next)
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
        let pauses = vault.keyring.accounts.compactMap { account -> Int64? in
            guard let (idle, limit, _) = Accounts(vault).idle(account) else { return nil }
            // Late by a quarter of the limit at most, and by five seconds.
            if idle < limit { return max(1, min(5, limit / 4)) }
            due.append(account)
            return nil
        }
        _ = sideBySide(due, named: "idle-lock") { closeIdle($0) }
        return pauses
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
