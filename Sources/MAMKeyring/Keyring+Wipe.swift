// Destroying an account: the decision, its keys, and the end. Its files are the vault's.
//
// The order makes a wipe safe at every cut. Before the record is durable nothing is changed; from then on every start
// carries on, and no key of the account is ever loaded again.

internal import MAMCrypto
package import MAMModel
internal import MAMSystem
internal import Synchronization

extension Keyring {
    /// The accounts that are being destroyed.
    package var wipes: [WipeIntent] { state.read { Array($0.wipes.values) } }

    /// Costs less than to ask which.
    package var isWiping: Bool { state.read { !$0.wipes.isEmpty } }

    /// The one whose key this is, or was.
    package func wipe(ofKey key: KeyID) -> WipeIntent? { wipes.first { $0.covers(key) } }

    /// The one that has this identity's name or object id.
    package func wipe(matching identity: Identity) -> WipeIntent? {
        wipes.first { $0.identity.matches(identity) }
    }

    /// Decides, for good: when this returns, no crash brings the account back. Throws if nothing is decided.
    package func decideWipe(of account: AccountID) throws(KeyringError) -> WipeIntent {
        try changes.withLock { _ throws(KeyringError) in
            if let decided = state.read({ $0.wipes[account] }) { return decided }
            let intent = WipeIntent(try keybag(of: account))
            try Self.storing { () throws(Errno) in try wipeStore.save(intent, report: report) }
            state.withLock { $0.wipes[account] = intent }
            return intent
        }
    }

    /// Erases the account's keys in memory, and forgets it.
    package func eraseKeys(of wipe: WipeIntent) {
        state.withLock { $0.remove(wipe.account) }
    }

    /// Destroys the account's keybag and its count of wrong passphrases; false, and reported, if it could not all be done.
    package func destroyKeybag(of wipe: WipeIntent) -> Bool {
        // Nobody saves a keybag meanwhile, nor counts a passphrase; who comes later finds no such
        // account.
        passphrases.withLock(wipe.account) {
            changes.withLock { _ in
                Self.destroyKeybag(of: wipe.account, store, attempts, histories, report: report)
            }
        }
    }

    /// The end of a wipe: all is gone, and the name may be registered anew. False, and reported, if the record stays: at the
    /// next start it would take plain files of whoever has the name then.
    package func endWipe(_ wipe: WipeIntent) -> Bool {
        do throws(Errno) {
            try wipeStore.remove(wipe.account)
        } catch {
            report(.wipeNotEnded(wipe.account, error))
            return false
        }
        state.withLock { $0.wipes[wipe.account] = nil }
        return true
    }

    private static func destroyKeybag(
        of account: AccountID, _ store: KeybagStore, _ attempts: Attempts,
        _ histories: PassphraseHistory, report: (KeyringFinding) -> Void
    ) -> Bool {
        var isDone = true
        func attempt(_ step: () throws(Errno) -> Void) {
            do throws(Errno) { try step() } catch {
                report(.notDestroyed(account, error))
                isDone = false
            }
        }
        attempt { () throws(Errno) in try store.destroy(account) }
        attempt { () throws(Errno) in try attempts.remove(account) }
        attempt { () throws(Errno) in try histories.remove(account) }
        return isDone
    }

    /// What a start found of wipes.
    struct FoundWipes {
        var decided: [AccountID: WipeIntent] = [:]
        /// Those too whose record is damaged or newer: not to be used.
        var accounts: Set<AccountID> = []
    }

    /// Destroys the keys of all accounts whose wipe was decided. What fails is tried again at the next start.
    static func findWipes(
        _ wipes: WipeStore, _ store: KeybagStore, _ attempts: Attempts,
        _ histories: PassphraseHistory, mayDestroy: Bool, report: (KeyringFinding) -> Void
    ) throws(KeyringError) -> FoundWipes {
        var found = FoundWipes()
        for entry in try storing({ () throws(Errno) in try wipes.load() }) {
            switch entry {
            case .decided(let intent):
                if mayDestroy {
                    _ = destroyKeybag(
                        of: intent.account, store, attempts, histories, report: report)
                }
                found.decided[intent.account] = intent
                found.accounts.insert(intent.account)
            case .damaged(let account):
                report(.wipeDamaged(account))
                found.accounts.insert(account)
            case .newer(let account, let record):
                report(.wipeNewer(record))
                found.accounts.insert(account)
            }
        }
        return found
    }
}

extension Keyring.State {
    fileprivate mutating func remove(_ account: AccountID) {
        guard let entry = accounts.removeValue(forKey: account) else { return }
        for key in [entry.keyA, entry.privateKeyB, entry.keyC, entry.keyD] { key?.erase() }
        for key in entry.others.values { key.erase() }
        order.removeAll { $0 == account }
        keys = keys.filter { $0.value.account != account }
    }
}
