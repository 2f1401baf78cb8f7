// Closes all of an account's windows for as long as policy requires.

internal import MAMAudit
package import MAMKeyring
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Blocks accounts.
package struct Block: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Closes the windows of every class, in the order of a lock, and keeps them closed until
    /// ``unblock(_:)`` or, if the passphrase ends it, an unlock. Drops only the keys that a lock
    /// drops.
    ///
    /// Never call this from a thread that serves the mount.
    @discardableResult
    package func block(_ account: AccountID, _ block: AccountBlock) -> [BlockingFile] {
        guard let windows = vault.windows[account] else { return [] }
        let isNews = vault.enrollments.blocks.add(block, to: account)
        if isNews {
            let text = "\(vault.identity(of: account)) is blocked: \(block.reason.english)"
            vault.audit(.blocked, account, text) { record in
                record.rule = block.kind.rawValue
                record.reason = block.reason.english
            }
        }
        defer { if isNews { vault.announce(.blocked(block), account) } }
        // An unlock that began before must not end it.
        if block.endsWithUnlock { windows.noteLock() }
        let left: [UInt64] = vault.windows.transition(of: account) {
            guard !windows.isBlocked else { return [] }
            if windows.hasAllKeys { vault.announce(.willBecomeUnavailable(seconds: 0), account) }
            return Lock(tree).close(account, windows, everyClass: true, until: nil)
        }
        return Lock(tree).report(left)
    }

    /// Ends a block that policy has set. Unlocks an account without a passphrase; leaves any other
    /// as after a lock, or blocked until an unlock.
    package func unblock(_ account: AccountID) throws(KeyringError) {
        let lockCount = vault.lockCount(of: account)
        let hasPassphrase = vault.keyring.hasPassphrase(account)
        let (ended, left) = vault.enrollments.blocks.endLasting(
            of: account, isUnlocked: !hasPassphrase)
        guard let ended else { return }
        let text =
            "\(vault.identity(of: account)) is not blocked any more: \(ended.kind.rawValue)"
        vault.audit(.unblocked, account, text) { $0.rule = ended.kind.rawValue }
        if let left { return vault.announce(.blocked(left), account) }
        vault.windows.transition(of: account) {
            let hasKeyC = vault.keyring.windowState(of: account) != .beforeFirstUnlock
            vault.windows[account]?.endBlock(hasKeyC: hasKeyC)
        }
        vault.windows.keyNews.tell()
        vault.announce(.unblocked, account)
        guard !hasPassphrase else { return }
        let keys = try vault.keyring.openKeys(of: account, passphrase: nil)
        try Unlock(tree).bringToHand(keys, of: account, since: lockCount)
    }
}
