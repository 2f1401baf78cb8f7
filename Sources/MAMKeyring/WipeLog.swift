// Destroying an account: the decision, its keys, and the end. Its files are the vault's.
//
// The order makes a wipe safe at every cut. Before the record is durable nothing is changed; from
// then on every start carries on, and no key of the account is ever loaded again.

internal import MAMCrypto
package import MAMModel
internal import MAMSystem
internal import Synchronization

/// The accounts that are being destroyed, on disk and in memory.
package struct WipeLog: Sendable {
    let store: WipeStore
    let files: AccountFiles
    let locks: KeyringLocks
    let state: SharedState<AccountTable>
    var report: @Sendable (KeyringFinding) -> Void { files.report }

    /// The accounts that are being destroyed.
    package var all: [WipeIntent] { state.read { Array($0.wipes.values) } }

    /// Costs less than to ask which there are.
    package var isEmpty: Bool { state.read { $0.wipes.isEmpty } }

    /// The one whose key this is, or was.
    package func first(ofKey key: KeyID) -> WipeIntent? { all.first { $0.covers(key) } }

    /// The one that has this identity's name or object id.
    package func first(matching identity: Identity) -> WipeIntent? {
        all.first { $0.identity.matches(identity) }
    }

    /// Decides, for good: when this returns, no crash brings the account back. Throws if nothing is
    /// decided.
    package func decide(of account: AccountID) throws(KeyringError) -> WipeIntent {
        try locks.changes.withLock { _ throws(KeyringError) in
            if let decided = state.read({ $0.wipes[account] }) { return decided }
            let intent = WipeIntent(try state.keybag(of: account))
            try storing { () throws(Errno) in try store.save(intent, report: report) }
            state.withLock { $0.wipes[account] = intent }
            return intent
        }
    }

    /// Erases the account's keys in memory, and forgets it.
    package func eraseKeys(of wipe: WipeIntent) {
        state.withLock { $0.remove(wipe.account) }
    }

    /// Destroys the account's keybag and its count of wrong passphrases; false, and reported, if it
    /// could not all be done.
    package func destroyKeybag(of wipe: WipeIntent) -> Bool {
        // Nobody saves a keybag meanwhile, nor counts a passphrase; who comes later finds no such
        // account.
        locks.passphrases.withLock(wipe.account) {
            locks.changes.withLock { _ in files.destroy(wipe.account) }
        }
    }

    /// The end of a wipe: all is gone, and the name may be registered anew. False, and reported, if
    /// the record stays: at the next start it would take plain files of whoever has the name then.
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
    /// What a start found of wipes.
    struct Found {
        var decided: [AccountID: WipeIntent] = [:]
        /// Those too whose record is damaged or newer: not to be used.
        var accounts: Set<AccountID> = []
    }

    /// Destroys the keys of all accounts whose wipe was decided. What fails is tried again at the
    /// next start.
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
