// Writes new and changed keybags, and undoes failed changes.

internal import MAMCrypto
internal import MAMLocks
internal import MAMModel
internal import MAMSystem
internal import Synchronization

/// All changes to keybags go through here, one at a time.
final class KeybagChanges: Sendable {
    let files: AccountFiles
    let sealer: KeybagSealer
    private let state: SharedState<AccountTable>
    private let locks: KeyringLocks
    let report: @Sendable (KeyringFinding) -> Void
    /// Accounts whose registration failed, but whose keybag may still be on disk.
    private let leftovers = Mutex<[AccountID: Identity]>([:])

    init(_ files: AccountFiles, _ sealer: KeybagSealer, _ locks: KeyringLocks) {
        (self.files, self.sealer, self.locks) = (files, sealer, locks)
        (state, report) = (sealer.state, files.report)
    }

    /// Adds a new account: first on disk, then in memory. The caller holds `registrations`.
    func add(
        _ new: Keybag, _ keys: ClassKeys, others: [OtherKeys.Key], passphrase: SecretBytes?,
        preparing prepare: (AccountID) -> Void
    ) throws(KeyringError) {
        var keybag = new
        if let passphrase {
            keybag.lock = .slots([try sealer.makeSlot(.passphrase(passphrase), in: keybag)])
        }
        try sealer.seal(&keybag, keys)
        prepare(keybag.accountID)
        try locks.changes.withLock { [keybag] _ throws(KeyringError) in
            // Files would be written under keys that a crash would lose.
            guard try save(keybag) else { throw takeBack(keybag) }
            let entry = HeldAccount(
                keybag: keybag, keyD: keys.d, keyA: keys.a, privateKeyB: keys.b, keyC: keys.c,
                others: others.secrets)
            state.withLock { $0.add(entry) }
        }
    }

    /// Changes a keybag, then wraps its keys over the changed fields. `change` gets the class keys,
    /// and all keys, to which it may add. `proof`: opens the keybag in place of a secret. Returns
    /// the changed keybag.
    @discardableResult
    func rewrite(
        _ account: AccountID, opening secret: SecretBytes?, slots slotChange: SlotChange = .kept,
        with proof: ((Keybag) throws(KeyringError) -> AccountKeys)? = nil,
        _ change: (inout Keybag, ClassKeys, inout AccountKeys) throws(KeyringError) -> Void
    ) throws(KeyringError) -> Keybag {
        try locks.passphrases.withLock(account) { () throws(KeyringError) in
            do throws(KeyringError) {
                return try rewriteAlone(account, opening: secret, slotChange, with: proof, change)
            } catch {
                // What a wipe has destroyed meanwhile fails in any way.
                guard state.read({ $0.wipes[account] == nil }) else { throw .beingWiped(account) }
                throw error
            }
        }
    }

    private func rewriteAlone(
        _ account: AccountID, opening secret: SecretBytes?, _ slotChange: SlotChange,
        with proof: ((Keybag) throws(KeyringError) -> AccountKeys)?,
        _ change: (inout Keybag, ClassKeys, inout AccountKeys) throws(KeyringError) -> Void
    ) throws(KeyringError) -> Keybag {
        var keybag = try state.keybag(of: account)
        let opened =
            if let proof { try proof(keybag) } else {
                try sealer.openKeys(keybag, passphrase: secret)
            }
        let past = try history(of: keybag, opened, from: secret, slotChange)
        if case .passphrase = keybag.lock, slotChange.keepsPassphrases, let secret {
            keybag.lock = .slots([try sealer.makeSlot(.passphrase(secret), in: keybag)])
        }
        let before = (keybag: keybag, keys: try sealer.allKeys(of: keybag, opened))
        var (keys, all) = (before.keys, opened)
        if keybag.lock == .deviceSecret, slotChange.addsPassphrase {
            (keys, all) = try keybag.retire(keys, opened)
        }
        keybag.generation += 1
        try change(&keybag, keys, &all)
        try apply(slotChange, to: &keybag, openedBy: opened.slot)
        try sealer.seal(&keybag, keys)
        try replace(before, with: keybag, all)
        if let past { remember(past, of: account) }
        if proof != nil { sealer.attempts.clear(account) }
        return keybag
    }

    /// A keybag that a wipe has destroyed must not come back.
    private func replace(
        _ old: (keybag: Keybag, keys: ClassKeys), with keybag: Keybag, _ keys: AccountKeys
    ) throws(KeyringError) {
        try locks.changes.withLock { _ throws(KeyringError) in
            guard state.read({ $0.wipes[keybag.accountID] == nil }) else {
                throw .beingWiped(keybag.accountID)
            }
            let isDurable = try save(keybag)
            // Files would be written under keys that a crash would lose, or their export be lost.
            guard isDurable || keybag.allKeyIDs == old.keybag.allKeyIDs else {
                throw putBack(old.keybag, old.keys, over: keybag)
            }
            state.withLock { $0.replace(keybag, keys) }
        }
    }

    /// Undoes a change that may not survive a crash, as far as possible. The next start may find
    /// the changed keybag, which has both sets of keys, or the old one; nothing was sealed under
    /// the new keys.
    private func putBack(
        _ old: Keybag, _ keys: ClassKeys, over new: Keybag
    ) -> KeyringError {
        var keybag = old
        keybag.generation = new.generation + 1
        do throws(KeyringError) {
            try sealer.seal(&keybag, keys)
            // Even if it cannot be written: the next write must supersede what may be on disk.
            state.withLock { [keybag] in $0.accounts[keybag.accountID]?.keybag = keybag }
            try save(keybag)
        } catch { return error }
        return .storage(.ioError)
    }

    /// False if the change may not survive a crash.
    @discardableResult
    private func save(_ keybag: Keybag) throws(KeyringError) -> Bool {
        try storing { () throws(Errno) in try files.keybags.save(keybag, report: report) }
    }
}

// MARK: Undoing registrations

extension KeybagChanges {
    /// True if the account's registration failed but its keybag may be on disk. The next start may
    /// load it, without files.
    func mayComeBack(_ account: AccountID) -> Bool {
        leftovers.withLock { $0[account] != nil }
    }

    /// Removes a new keybag under which nothing was wrapped.
    private func takeBack(_ keybag: Keybag) -> KeyringError {
        do throws(Errno) {
            try files.keybags.destroy(keybag.accountID)
            return .storage(.ioError)
        } catch {
            leftovers.withLock { $0[keybag.accountID] = keybag.identity }
            return .storage(error)
        }
    }

    /// Before a name gets another keybag; otherwise the next start would find two of one name.
    func destroyLeftovers(of identity: Identity) throws(KeyringError) {
        let those = leftovers.withLock { $0.filter { $0.value.matches(identity) } }
        for account in those.keys {
            try storing { () throws(Errno) in try files.keybags.destroy(account) }
            leftovers.withLock { $0[account] = nil }
        }
    }
}
