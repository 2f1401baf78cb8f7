// Wipes an account: the decision, its keys, and the end. The vault destroys its files.
//
// The order makes a wipe safe against a crash at any point. Until the record is durable, nothing is
// changed; from then on every start continues, and never loads a key of the account again.

internal import MAMCrypto
internal import MAMLocks
package import MAMModel
internal import MAMSystem
internal import Synchronization

/// The accounts being wiped, on disk and in memory.
package struct WipeLog: Sendable {
    let store: WipeStore
    let files: AccountFiles
    let locks: KeyringLocks
    let state: SharedState<AccountTable>
    var report: @Sendable (KeyringFinding) -> Void { files.report }

    /// The accounts being wiped.
    package var all: [WipeIntent] { state.read { Array($0.wipes.values) } }

    /// Cheaper than ``all``.
    package var isEmpty: Bool { state.read { $0.wipes.isEmpty } }

    /// The wipe of the account that this key belongs or belonged to.
    package func first(ofKey key: KeyID) -> WipeIntent? { all.first { $0.covers(key) } }

    /// The wipe of the account with this identity's name or object id.
    package func first(matching identity: Identity) -> WipeIntent? {
        all.first { $0.identity.matches(identity) }
    }

    /// One step of an account's wipe at a time. Taken before the vault's transitions.
    package func wiping<Result, Failure: Error>(
        _ account: AccountID, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try locks.wipes.withLock(account, body)
    }

    /// Decides the wipe, irrevocably: on return, no crash brings the account back. Throws if
    /// nothing is decided.
    package func decide(of account: AccountID) throws(KeyringError) -> WipeIntent {
        try locks.changes.withLock { _ throws(KeyringError) in
            if let decided = state.read({ $0.wipes[account] }) { return decided }
            let intent = WipeIntent(try state.keybag(of: account))
            try storing { () throws(Errno) in try store.save(intent, report: report) }
            state.withLock { $0.wipes[account] = intent }
            return intent
        }
    }

    /// Erases the account's keys in memory and removes the account.
    package func eraseKeys(of wipe: WipeIntent) {
        state.withLock { $0.remove(wipe.account) }
    }

    /// Destroys the account's keybag and its count of wrong passphrases; false, after a report, if
    /// some of that failed.
    package func destroyKeybag(of wipe: WipeIntent) -> Bool {
        // Excludes saving a keybag and counting a passphrase; later callers find no such account.
        locks.passphrases.withLock(wipe.account) {
            locks.changes.withLock { _ in files.destroy(wipe.account) }
        }
    }

    /// Ends a wipe: everything is gone, and the name is free for registration. False, after a
    /// report, if the record stays: at the next start it would destroy plain files of whichever
    /// account has the name then.
    package func end(_ wipe: WipeIntent) -> Bool {
        do throws(Errno) {
            try store.remove(wipe.account)
        } catch {
            report(.wipeNotEnded(wipe.account, error))
            return false
        }
        state.withLock { $0.wipes[wipe.account] = nil }
        return true
    }
}

// MARK: At a start

extension WipeLog {
    /// The wipes found at a start.
    struct Found {
        var decided: [AccountID: WipeIntent] = [:]
        /// Includes those with damaged or newer records: not usable.
        var accounts: Set<AccountID> = []
    }

    /// Destroys the keys of all accounts whose wipe was decided. Failures are retried at the next
    /// start.
    static func find(
        _ store: WipeStore, _ files: AccountFiles, mayDestroy: Bool
    ) throws(KeyringError) -> Found {
        var found = Found()
        for entry in try storing({ () throws(Errno) in try store.load() }) {
            switch entry {
            case .decided(let intent):
                if mayDestroy { _ = files.destroy(intent.account) }
                found.decided[intent.account] = intent
                found.accounts.insert(intent.account)
            case .damaged(let account):
                files.report(.wipeDamaged(account))
                found.accounts.insert(account)
            case .newer(let account, let record):
                files.report(.wipeNewer(record))
                found.accounts.insert(account)
            }
        }
        return found
    }
}
