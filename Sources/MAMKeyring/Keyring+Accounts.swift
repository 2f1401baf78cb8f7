// Registers accounts and changes their passphrases.

package import MAMCrypto
package import MAMModel
internal import MAMSystem

extension Keyring {
    /// Creates an unlocked account with new class keys, durably. `passphrase`: nil for an account
    /// that the device secret alone opens. `prepare`: called before anything is written, but not if
    /// the account is refused.
    package func register(
        _ identity: Identity, uid: UInt32, passphrase: SecretBytes?,
        preparing prepare: (AccountID) -> Void = { _ in }
    ) throws(KeyringError) -> AccountID {
        guard !identity.isNobody else { throw .nobody }
        return try locks.registrations.withSlot(of: uid) { () throws(KeyringError) in
            try changes.destroyLeftovers(of: identity)
            if let known = account(claimedBy: identity) { throw .accountExists(known) }
            if let wipe = wipes.first(matching: identity) { throw .beingWiped(wipe.account) }
            let keys = ClassKeys { _ in .random(count: AESGCM.keyByteCount) }
            let keybag = try newKeybag(identity, uid: uid, keys: keys)
            try changes.add(keybag, keys, others: [], passphrase: passphrase, preparing: prepare)
            return keybag.accountID
        }
    }

    /// Wraps the class keys under another passphrase; files keep their keys. Windows stay as they
    /// are.
    ///
    /// An account without a passphrase gets new class keys, because remains of its old keybag would
    /// open the old ones. It keeps the old keys for existing files.
    ///
    /// `old`: nil if the account has no passphrase; a wrong one counts as it does at an unlock. The
    /// new one replaces it, and all passphrases if `old` is a recovery passphrase or
    /// `replacingAll`. `new`: nil to remove all secrets. `previousBlockCount`: how many of the last
    /// passphrases may not be reused.
    package func changePassphrase(
        _ account: AccountID, from old: SecretBytes?, to new: SecretBytes?,
        replacingAll: Bool = false, previousBlockCount: Int = 0
    ) throws(KeyringError) {
        try changes.rewrite(
            account, opening: old,
            slots: .passphrase(
                new, replacingAll: replacingAll, previousBlockCount: previousBlockCount)
        ) { keybag, _, _ throws(KeyringError) in
            if old != nil, new == nil { try keybag.keepRoomForPassphrase() }
        }
    }

    /// Sets the object id of an account that was registered by name only. Files keep their keys and
    /// headers.
    ///
    /// Needs the passphrase as an unlock does, because the key wraps authenticate the identity.
    package func link(
        _ account: AccountID, objectID: String, passphrase: SecretBytes?
    ) throws(KeyringError) {
        try locks.registrations.withSlot(of: uid(of: account) ?? 0) { () throws(KeyringError) in
            _ = try changes.rewrite(account, opening: passphrase) {
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
        // The original spelling stays.
        if old.objectID.isEmpty { keybag.identity = new }
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
            registrationTime: nextRegistrationTime, generation: 1, lock: .deviceSecret,
            publicKeyB: pair.publicKey,
            keyIDs: PerClass { _ in KeyID(SecureRandom.bytes16()) },
            wrappedKeys: [])
    }

    /// Now, but later than every other account's, so that the order of registration, and with it
    /// the user's default account, is the same at every start.
    var nextRegistrationTime: Int64 {
        let newest = state.read { $0.accounts.values.map(\.keybag.registrationTime).max() }
        return max(0, clock(), newest.map { $0 + 1 } ?? 0)
    }
}
