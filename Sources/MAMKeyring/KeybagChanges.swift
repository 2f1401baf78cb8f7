// Keybags on their way to disk: new ones, changed ones, and those that have to be taken back.

internal import MAMCrypto
internal import MAMModel
internal import MAMSystem
internal import Synchronization

/// Who makes, changes or takes back a keybag does so here, one at a time.
final class KeybagChanges: Sendable {
    private let files: AccountFiles
    private let sealer: KeybagSealer
    private let state: SharedState<AccountTable>
    private let locks: KeyringLocks
    private let report: @Sendable (KeyringFinding) -> Void
    /// What may be left on disk of registrations that failed.
    private let leftovers = Mutex<[AccountID: Identity]>([:])

    init(_ files: AccountFiles, _ sealer: KeybagSealer, _ locks: KeyringLocks) {
        (self.files, self.sealer, self.locks) = (files, sealer, locks)
        (state, report) = (sealer.state, files.report)
    }

    /// A new account: on disk, and then at hand. The caller holds `registrations`.
    func add(
        _ new: Keybag, _ keys: ClassKeys, others: [OtherKeys.Key], passphrase: SecretBytes?,
        preparing prepare: (AccountID) -> Void
    ) throws(KeyringError) {
        var keybag = new
        try sealer.seal(&keybag, keys, passphrase: passphrase)
        prepare(keybag.accountID)
        try locks.changes.withLock { [keybag] _ throws(KeyringError) in
            // Files would be written with keys that a crash removes.
            guard try save(keybag) else { throw takeBack(keybag) }
            let entry = HeldAccount(
                keybag: keybag, keyD: keys.d, keyA: keys.a, privateKeyB: keys.b, keyC: keys.c,
                others: others.secrets)
            state.withLock { $0.add(entry) }
        }
    }

    /// Changes a keybag, and wraps its keys over it as it is then. The change gets the class keys,
    /// and all keys that it may add to.
    func rewrite(
        _ account: AccountID, opening old: SecretBytes?, sealing new: SecretBytes?,
        refusing previousBlockCount: Int = 0,
        _ change: (inout Keybag, ClassKeys, inout AccountKeys) throws(KeyringError) -> Void
    ) throws(KeyringError) {
        try locks.passphrases.withLock(account) { () throws(KeyringError) in
            var keybag = try state.keybag(of: account)
            let opened = try sealer.openKeys(keybag, passphrase: old)
            var past: PastPassphrases?
            if let new, previousBlockCount > 0 {
                past = try history(of: account, from: old, to: new, refusing: previousBlockCount)
            }
            let before = (keybag: keybag, keys: try sealer.allKeys(of: keybag, opened))
            var (keys, all) = (before.keys, opened)
            if keybag.passphrase == nil, new != nil {
                (keys, all) = try keybag.retire(keys, opened)
            }
            keybag.generation += 1
            try change(&keybag, keys, &all)
            try sealer.seal(&keybag, keys, passphrase: new)
            try replace(before, opening: old, with: keybag, all)
            if let past { remember(past, of: account) }
        }
    }

    /// What a wipe has destroyed meanwhile must not come back.
    private func replace(
        _ old: (keybag: Keybag, keys: ClassKeys), opening passphrase: SecretBytes?,
        with keybag: Keybag, _ keys: AccountKeys
    ) throws(KeyringError) {
        try locks.changes.withLock { _ throws(KeyringError) in
            guard state.read({ $0.wipes[keybag.accountID] == nil }) else {
                throw .beingWiped(keybag.accountID)
            }
            let isDurable = try save(keybag)
            // Files would be written with keys that a crash removes, or their export lost.
            guard isDurable || keybag.allKeyIDs == old.keybag.allKeyIDs else {
                throw putBack(old.keybag, old.keys, passphrase, over: keybag)
            }
            state.withLock { $0.replace(keybag, keys) }
        }
    }

    /// Undoes a change that may not survive a crash, as far as the disk lets it. The next start may
    /// find either: a keybag that has both keys, or the one from before, and nothing was sealed
    /// with the new ones.
    private func putBack(
        _ old: Keybag, _ keys: ClassKeys, _ passphrase: SecretBytes?, over new: Keybag
    ) -> KeyringError {
        var keybag = old
        keybag.generation = new.generation + 1
        do throws(KeyringError) {
            try sealer.seal(&keybag, keys, passphrase: passphrase)
            // Also if it cannot be written: what is written next must count before what may lie
            // there now.
            state.withLock { [keybag] in $0.accounts[keybag.accountID]?.keybag = keybag }
            try save(keybag)
        } catch { return error }
        return .storage(.ioError)
    }

    /// What is remembered once the passphrase is changed. Throws if the new one is one of the last
    /// `count`, the present one among them. The caller holds the account's `passphrases`.
    private func history(
        of account: AccountID, from old: SecretBytes?, to new: SecretBytes, refusing count: Int
    ) throws(KeyringError) -> PastPassphrases {
        var past =
            files.histories.load(account, report: report)
            ?? PastPassphrases(Keybag.Passphrase(cost: sealer.cost, salt: SecureRandom.bytes16()))
        if let old { past.add(try sealer.fingerprint(old, past, account)) }
        let fingerprint = try sealer.fingerprint(new, past, account)
        guard !past.fingerprints.prefix(count).contains(fingerprint) else {
            throw .refused("it is one of the last \(count) passphrases (previousPinBlockCount)")
        }
        return past
    }

    private func remember(_ past: PastPassphrases, of account: AccountID) {
        do throws(Errno) { try files.histories.save(past, of: account) } catch {
            report(.historyNotWritten(account, error))
        }
    }

    /// False if it may not survive a crash.
    @discardableResult
    private func save(_ keybag: Keybag) throws(KeyringError) -> Bool {
        try storing { () throws(Errno) in try files.keybags.save(keybag, report: report) }
    }
}

// MARK: Taking back

extension KeybagChanges {
    /// True for an account whose registration failed, and whose keybag may be on disk all the same.
    /// The next start may find it, without files.
    func mayComeBack(_ account: AccountID) -> Bool {
        leftovers.withLock { $0[account] != nil }
    }

    /// Removes a new keybag that nothing was wrapped under.
    private func takeBack(_ keybag: Keybag) -> KeyringError {
        do throws(Errno) {
            try files.keybags.destroy(keybag.accountID)
            return .storage(.ioError)
        } catch {
            leftovers.withLock { $0[keybag.accountID] = keybag.identity }
            return .storage(error)
        }
    }

    /// Before a name gets another keybag: two of one name would both be here at the next start.
    func destroyLeftovers(of identity: Identity) throws(KeyringError) {
        let those = leftovers.withLock { $0.filter { $0.value.matches(identity) } }
        for account in those.keys {
            try storing { () throws(Errno) in try files.keybags.destroy(account) }
            leftovers.withLock { $0[account] = nil }
        }
    }
}
