// Closing all of an account's windows for as long as policy wants it.

internal import MAMAudit
internal import MAMFormat
package import MAMKeyring
package import MAMModel
internal import MAMSystem
internal import Synchronization

extension Vault {
    /// What keeps an account's files from being used beside a lock.
    package func block(of account: AccountID) -> AccountBlock? {
        blocks.withLock { $0[account] }
    }

    /// Closes the windows of every class, in the order that a lock has, and keeps them closed until
    /// ``unblock(_:)``. Of the keys only what a lock drops is dropped. A block that a passphrase
    /// ends is a lock.
    ///
    /// Never call this from a thread that serves the mount.
    @discardableResult
    package func block(_ account: AccountID, _ block: AccountBlock) -> [Straggler] {
        guard let windows = windows(of: account) else { return [] }
        let old: AccountBlock? = blocks.withLock { blocks in
            // One that an unlock ends takes the place of none that it does not end.
            if block.endsWithUnlock, let old = blocks[account], !old.endsWithUnlock { return block }
            return blocks.updateValue(block, forKey: account)
        }
        if old != block {
            let text = "\(keyring.identity(of: account)) is blocked: \(block.reason)"
            audit(.blocked, account, text) { record in
                record.rule = block.kind.rawValue
                record.reason = block.reason
            }
        }
        defer { if old != block { announce(.blocked(block), account) } }
        if block.endsWithUnlock { return lock(account, now: true) }
        let left: [UInt64] = transitions.withLock(account) {
            guard !windows.isBlocked else { return [] }
            if windows.hasAllKeys { announce(.willBecomeUnavailable(seconds: 0), account) }
            return close(account, windows, everyClass: true, until: nil)
        }
        return report(left)
    }

    /// Ends what ``block(_:_:)`` began. An account without a passphrase is unlocked, any other is
    /// as after a lock.
    package func unblock(_ account: AccountID) throws(KeyringError) {
        let lockCount = lockCount(of: account)
        guard let block = blocks.withLock({ $0.removeValue(forKey: account) }) else { return }
        let text =
            "\(keyring.identity(of: account)) is not blocked any more: \(block.kind.rawValue)"
        audit(.unblocked, account, text) { $0.rule = block.kind.rawValue }
        transitions.withLock(account) {
            let hasKeyC = keyring.windowState(of: account) != .beforeFirstUnlock
            windows(of: account)?.endBlock(hasKeyC: hasKeyC)
        }
        keyNews.tell()
        announce(.unblocked, account)
        guard !keyring.hasPassphrase(account) else { return }
        let keys = try keyring.openKeys(of: account, passphrase: nil)
        try bringToHand(keys, of: account, since: lockCount)
    }

    /// Refuses an unlock that would open nothing.
    func refuseBlocked(_ account: AccountID) throws(KeyringError) {
        if let block = block(of: account), !block.endsWithUnlock { throw .blocked(block) }
    }

    /// Why a window lets nobody through.
    func refusal(of window: AccessWindow, _ header: FileHeader?) -> VaultError {
        window.state == .revoked
            ? .keyRevoked(header?.owner ?? .nobody) : closure(of: header)
    }

    /// Why nothing of an account can be opened or made.
    func closure(of account: AccountID?, _ owner: Identity) -> VaultError {
        guard let account, let block = block(of: account) else { return .windowClosed(owner) }
        return .blocked(owner, block)
    }
}
