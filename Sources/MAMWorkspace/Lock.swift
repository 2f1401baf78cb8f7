// Locks accounts: at once, after a grace period, or all together.

internal import Glibc
internal import MAMCrypto
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Closes an account's windows and drops its keys.
package struct Lock: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Locks an account at once, or after a grace period, which an unlock cancels. Returns the
    /// files that obstructed a lock that completed nevertheless.
    ///
    /// Never call this from a thread that serves the mount: it waits for the kernel, which waits
    /// for those threads.
    @discardableResult
    package func lock(_ account: AccountID, now: Bool) -> [BlockingFile] {
        guard let windows = vault.windows[account] else { return [] }
        windows.noteLock()
        let grace = vault.rules.settings.lockGraceSeconds
        if now || grace == 0 { return report(shut(account)) }
        // Inside the lock, so that events are sent in order.
        let begun = vault.windows.transition(of: account) {
            let begun = windows.beginGrace(seconds: grace)
            if begun != nil { vault.announce(.willBecomeUnavailable(seconds: grace), account) }
            return begun
        }
        guard let begun else { return [] }
        vault.log.info("\(vault.identity(of: account)) will be locked in \(grace) s")
        guard begun == .needsTimer else { return [] }
        do throws(Errno) {
            try startThread(named: "lock-grace") { waitOutGrace(of: account, windows, grace) }
            return []
        } catch {
            // No thread could be started to wait for the grace period: lock now.
            defer { _ = windows.currentGrace() }
            return report(shut(account))
        }
    }

    /// Locks several accounts independently.
    @discardableResult
    package func lock(_ accounts: [AccountID], now: Bool) -> [BlockingFile] {
        sideBySide(accounts, named: "lock") { lock($0, now: now) }.flatMap(\.self)
    }

    /// Waits for the end of a grace period, and of later ones if this one was cancelled.
    private func waitOutGrace(of account: AccountID, _ windows: AccountWindows, _ seconds: Int) {
        while let grace = windows.currentGrace() {
            for _ in 0..<seconds where windows.isCurrent(grace) { sleep(1) }
            _ = report(shut(account, atEndOf: grace))
        }
    }

    /// Closes classes A and B and drops their keys. Returns when nothing readable is left, or at
    /// the deadline with the inode numbers of files that obstructed it.
    ///
    /// `grace`: the grace period that ended; does nothing if an unlock came first.
    /// `sharedDeadline`: nil for a deadline of its own.
    private func shut(
        _ account: AccountID, atEndOf grace: Int? = nil, until sharedDeadline: Deadline? = nil
    ) -> [UInt64] {
        guard let windows = vault.windows[account] else { return [] }
        return vault.windows.transition(of: account) {
            guard windows.hasAllKeys else { return [] }
            if let grace, !windows.isCurrent(grace) { return [] }
            if windows.state != .grace {
                vault.announce(.willBecomeUnavailable(seconds: 0), account)
            }
            return close(account, windows, everyClass: false, until: sharedDeadline)
        }
    }

    /// The limit on names in a report.
    private static let namedFiles = 20

    func report(_ nodes: [UInt64]) -> [BlockingFile] {
        guard !nodes.isEmpty else { return [] }
        let blockingFiles = Purge(tree).blockingFiles(Array(nodes.prefix(Self.namedFiles)))
        for file in blockingFiles {
            vault.log.warning(
                "locked at the deadline of \(vault.rules.settings.lockDeadlineSeconds) s although"
                    + " \(file); its further writes are lost"
            )
        }
        let unnamed = nodes.count - blockingFiles.count
        if unnamed > 0 {
            vault.log.warning("and so are those of \(counted(unnamed, "other file"))")
        }
        return blockingFiles
    }

    /// Locks every account by one common deadline: the machine is about to sleep, or the daemon to
    /// end while the mount still serves.
    package func lockAll() {
        let deadline = Deadline(seconds: vault.rules.settings.lockDeadlineSeconds)
        let accounts = vault.keyring.accounts
        for account in accounts { vault.windows[account]?.noteLock() }
        // In parallel: one user's program that holds its files must not keep another user's keys
        // loaded.
        let left = sideBySide(accounts, named: "lock") { shut($0, until: deadline) }
        // Last, because finding the processes takes time.
        _ = report(left.flatMap(\.self))
    }
}
