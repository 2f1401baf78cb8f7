// When an account is locked: at once, after a grace period, or with all others.

internal import Glibc
internal import MAMCrypto
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Closes an account's windows, and drops its keys.
package struct Lock: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// Locks an account: at once, or after the grace period, which an unlock cancels. Returns what
    /// was in the way of a lock that had to be finished all the same.
    ///
    /// Never call this from a thread that serves the mount: it waits for the kernel, which waits
    /// for those.
    @discardableResult
    package func lock(_ account: AccountID, now: Bool) -> [BlockingFile] {
        guard let windows = vault.windows(of: account) else { return [] }
        windows.noteLock()
        let grace = vault.settings.lockGraceSeconds
        if now || grace == 0 { return report(shut(account)) }
        // Told in the order in which things happen.
        let begun = vault.transitions.withLock(account) {
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
            // No thread to wait in: better now than never.
            defer { _ = windows.currentGrace() }
            return report(shut(account))
        }
    }

    /// Locks several accounts, none of which waits for another.
    @discardableResult
    package func lock(_ accounts: [AccountID], now: Bool) -> [BlockingFile] {
        sideBySide(accounts, named: "lock") { lock($0, now: now) }.flatMap(\.self)
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
        guard let windows = vault.windows(of: account) else { return [] }
        return vault.transitions.withLock(account) {
            guard windows.hasAllKeys else { return [] }
            if let grace, !windows.isCurrent(grace) { return [] }
            if windows.state != .grace {
                vault.announce(.willBecomeUnavailable(seconds: 0), account)
            }
            return close(account, windows, everyClass: false, until: sharedDeadline)
        }
    }

    /// More than so many are not named.
    private static let namedFiles = 20

    func report(_ nodes: [UInt64]) -> [BlockingFile] {
        guard !nodes.isEmpty else { return [] }
        let blockingFiles = Purge(tree).blockingFiles(Array(nodes.prefix(Self.namedFiles)))
        for file in blockingFiles {
            vault.log.warning(
                "locked at the deadline of \(vault.settings.lockDeadlineSeconds) s although"
                    + " \(file); its further writes are lost"
            )
        }
        let unnamed = nodes.count - blockingFiles.count
        if unnamed > 0 { vault.log.warning("so are \(unnamed) files more") }
        return blockingFiles
    }

    /// Locks every account, all by one deadline: the machine is to sleep, or the daemon to end
    /// while the mount still serves.
    package func lockAll() {
        let deadline = Deadline(seconds: vault.settings.lockDeadlineSeconds)
        let accounts = vault.keyring.accounts
        for account in accounts { vault.windows(of: account)?.noteLock() }
        // Side by side: one user's program that does not let go must not keep another's keys here.
        let left = sideBySide(accounts, named: "lock") { shut($0, until: deadline) }
        // Only now: looking for who it was takes its time.
        _ = report(left.flatMap(\.self))
    }
}
