// Registering accounts and changing their passphrases: new keybags.

package import MAMCrypto
package import MAMModel
internal import MAMSystem
internal import Synchronization

extension Keyring {
    /// Makes an account with new class keys, on disk before this returns. It is unlocked from now on. The
    /// passphrase is nil for an account that the device secret alone opens. `prepare` is called
    /// before anything of the account is on disk, and not for one that is refused.
    package func register(
        _ identity: Identity, uid: UInt32, passphrase: SecretBytes?,
        preparing prepare: (AccountID) -> Void = { _ in }
    ) throws(KeyringError) -> AccountID {
        guard !identity.isNobody else { throw .nobody }
        return try registrations.withTurn(of: uid) { () throws(KeyringError) in
            try destroyLeftovers(of: identity)
            if let known = account(claimedBy: identity) { throw .accountExists(known) }
            if let wipe = wipe(matching: identity) { throw .beingWiped(wipe.account) }
            let keys = ClassKeys { _ in .random(count: AESGCM.keyByteCount) }
            let keybag = try newKeybag(identity, uid: uid, keys: keys)
            try add(keybag, keys, others: [], passphrase: passphrase, preparing: prepare)
            return keybag.accountID
        }
    }

    /// A new account: on disk, and then at hand. The caller holds `registrations`.
    func add(
        _ new: Keybag, _ keys: ClassKeys, others: [OtherKeys.Key], passphrase: SecretBytes?,
        preparing prepare: (AccountID) -> Void
    ) throws(KeyringError) {
        var keybag = new
        try seal(&keybag, keys, passphrase: passphrase)
        prepare(keybag.accountID)
        try changes.withLock { [keybag] _ throws(KeyringError) in
            // Files would be written with keys that a crash takes away.
            guard try save(keybag) else { throw takeBack(keybag) }
            let entry = Account(
                keybag: keybag, keyD: keys.d, keyA: keys.a, privateKeyB: keys.b, keyC: keys.c,
                others: others.secrets)
            state.withLock { $0.add(entry) }
        }
    }

    /// Wraps the class keys under another passphrase; files keep their keys. Windows stay as they are.
    ///
    /// An account that had none gets new class keys: the old ones are opened by what is left of its
    /// old keybag. They stay, for the files that they have sealed.
    ///
    /// `old` is nil for an account that has none, and a wrong one counts as one at an unlock does. `new` is
    /// nil for none from now on. `previousBlockCount`: so many of the last ones may not be taken again.
    package func changePassphrase(
        _ account: AccountID, from old: SecretBytes?, to new: SecretBytes?,
        previousBlockCount: Int = 0
    ) throws(KeyringError) {
        try rewrite(account, opening: old, sealing: new, refusing: previousBlockCount) {
            keybag, _, _ throws(KeyringError) in
            if old != nil, new == nil { try keybag.keepRoomForPassphrase() }
        }
    }

    /// Gives an account that was registered by its name alone its object id. Files keep their keys and headers.
    ///
    /// The keys are wrapped over the identity, so this takes the passphrase as an unlock does.
    package func link(
        _ account: AccountID, objectID: String, passphrase: SecretBytes?
    ) throws(KeyringError) {
        try registrations.withTurn(of: uid(of: account) ?? 0) { () throws(KeyringError) in
            try rewrite(account, opening: passphrase, sealing: passphrase) {
                keybag, _, _ throws(KeyringError) in
                try give(&keybag, objectID)
            }
        }
    }

    private func give(_ keybag: inout Keybag, _ objectID: String) throws(KeyringError) {
        let (account, old) = (keybag.accountID, keybag.identity)
        guard let new = try? Identity(name: old.name, objectID: objectID) else {
            throw .invalidObjectID
        }
        guard old.objectID.isEmpty || old.matches(objectID) else {
            throw .linkedAlready(old.objectID)
        }
        let other = accounts.first { $0 != account && answers($0, to: objectID) }
        if let other { throw .accountExists(other) }
        // The first spelling stays.
        if old.objectID.isEmpty { keybag.identity = new }
    }

    /// Changes a keybag, and wraps its keys over it as it is then. The change gets the class keys,
    /// and all keys that it may add to.
    func rewrite(
        _ account: AccountID, opening old: SecretBytes?, sealing new: SecretBytes?,
        refusing previousBlockCount: Int = 0,
        _ change: (inout Keybag, ClassKeys, inout AccountKeys) throws(KeyringError) -> Void
    ) throws(KeyringError) {
        try passphrases.withLock(account) { () throws(KeyringError) in
            var keybag = try keybag(of: account)
            let opened = try openKeys(keybag, passphrase: old)
            var past: PastPassphrases?
            if let new, previousBlockCount > 0 {
                past = try history(of: account, from: old, to: new, refusing: previousBlockCount)
            }
            let before = (keybag: keybag, keys: try allKeys(of: keybag, opened))
            var (keys, all) = (before.keys, opened)
            if keybag.passphrase == nil, new != nil {
                (keys, all) = try keybag.retire(keys, opened)
            }
            keybag.generation += 1
            try change(&keybag, keys, &all)
            try seal(&keybag, keys, passphrase: new)
            try replace(before, opening: old, with: keybag, all)
            if let past { remember(past, of: account) }
        }
    }

    /// What a wipe has destroyed meanwhile must not come back.
    private func replace(
        _ old: (keybag: Keybag, keys: ClassKeys), opening passphrase: SecretBytes?,
        with keybag: Keybag, _ keys: AccountKeys
    ) throws(KeyringError) {
        try changes.withLock { _ throws(KeyringError) in
            guard state.read({ $0.wipes[keybag.accountID] == nil }) else {
                throw .beingWiped(keybag.accountID)
            }
            let isDurable = try save(keybag)
            // Files would be written with keys that a crash takes away, or their export lost.
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
            try seal(&keybag, keys, passphrase: passphrase)
            // Also if it cannot be written: what is written next must count before what may lie
            // there now.
            state.withLock { [keybag] in $0.accounts[keybag.accountID]?.keybag = keybag }
            try save(keybag)
        } catch { return error }
        return .storage(.ioError)
    }

    /// With that of D, which is always at hand.
    func allKeys(of keybag: Keybag, _ opened: AccountKeys) throws(KeyringError) -> ClassKeys {
        guard let keyD = state.read({ $0.accounts[keybag.accountID]?.keyD }) else {
            throw .unknownAccount(keybag.accountID)
        }
        return ClassKeys { protectionClass in
            switch protectionClass {
            case .complete: opened.a
            case .completeUnlessOpen: opened.b
            case .completeUntilFirstUserAuthentication: opened.c
            case .none: keyD
            }
        }
    }

    private func remember(_ past: PastPassphrases, of account: AccountID) {
        do throws(Errno) { try histories.save(past, of: account) } catch {
            report(.historyNotWritten(account, error))
        }
    }

    /// Now; a second later than the newest account's where they would be the same, so that the order of
    /// registration, and with it the user's default account, is the same at every start.
    var nextRegistrationTime: Int64 {
        let newest = state.read { $0.accounts.values.map(\.keybag.registrationTime).max() }
        return max(0, clock(), newest.map { $0 + 1 } ?? 0)
    }

    private func newKeybag(
        _ identity: Identity, uid: UInt32, keys: ClassKeys
    ) throws(KeyringError) -> Keybag {
        let pair: Curve25519.KeyPair
        do throws(SealError) {
            pair = try Curve25519.KeyPair(privateKey: keys.b)
        } catch { throw .cipher }
        return Keybag(
            accountID: AccountID(SecureRandom.bytes16()), identity: identity, uid: uid,
            registrationTime: nextRegistrationTime, generation: 1, passphrase: nil,
            publicKeyB: pair.publicKey,
            keyIDs: PerClass { _ in KeyID(SecureRandom.bytes16()) },
            wrappedKeys: [])
    }

    /// Gives the keybag a passphrase, or none, and wraps all keys over its fields as they are then.
    private func seal(
        _ keybag: inout Keybag, _ keys: ClassKeys, passphrase: SecretBytes?
    ) throws(KeyringError) {
        keybag.passphrase = nil
        let accountKey: SecretBytes
        if let passphrase {
            guard passphrase.count > 0 else { throw .emptyPassphrase }
            let settings = Keybag.Passphrase(cost: cost, salt: SecureRandom.bytes16())
            keybag.passphrase = settings
            let stretched = try stretch(passphrase, settings, for: keybag.uid)
            accountKey = try deriving { () throws(DerivationError) in
                try WrappingKey.account(stretched: stretched, deviceSecret, keybag.accountID)
            }
        } else {
            accountKey = try deriving { () throws(DerivationError) in
                try WrappingKey.withoutPassphrase(deviceSecret, keybag.accountID)
            }
        }
        let deviceKey = try deriving { () throws(DerivationError) in
            try WrappingKey.device(deviceSecret, keybag.accountID)
        }
        do throws(SealError) {
            try keybag.wrap(keys, accountKey: accountKey, deviceKey: deviceKey)
        } catch { throw .cipher }
    }

    /// False if it may not survive a crash.
    @discardableResult
    private func save(_ keybag: Keybag) throws(KeyringError) -> Bool {
        try Self.storing { () throws(Errno) in try store.save(keybag, report: report) }
    }
}
