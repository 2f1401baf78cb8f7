// Derives class keys from passphrases, and counts wrong ones.

internal import MAMCrypto
internal import MAMModel
internal import MAMSystem

/// The keys that a passphrase unlocks.
package struct AccountKeys: Sendable {
    let a: SecretBytes
    /// The private key.
    let b: SecretBytes
    let c: SecretBytes
    /// Earlier and imported keys, which only open files.
    var others: [OtherKeys.Key] = []
    /// The ids of the current keys when these were unwrapped: the account may have new ones by now.
    let names: PerClass<KeyID>
}

/// Opens and seals keybags with the device secret, and with a passphrase if there is one.
struct KeybagSealer: Sendable {
    let deviceSecret: SecretBytes
    let cost: KeyDerivationCost
    let attempts: Attempts
    /// For D, which is always loaded.
    let state: SharedState<AccountTable>

    /// Unwraps A, B and C; counts a wrong passphrase. The caller holds the account's `passphrases`.
    func openKeys(
        _ keybag: Keybag, passphrase: SecretBytes?
    ) throws(KeyringError) -> AccountKeys {
        guard let settings = keybag.passphrase else {
            guard passphrase == nil else { throw .passphraseNotUsed }
            let key = try deriving { () throws(DerivationError) in
                try WrappingKey.withoutPassphrase(deviceSecret, keybag.accountID)
            }
            guard let keys = try open(keybag, under: key) else { throw .keybag(.keysDamaged) }
            return keys
        }
        guard let passphrase else { throw .passphraseRequired }
        return try tryPassphrase(passphrase, settings, keybag)
    }

    private func tryPassphrase(
        _ passphrase: SecretBytes, _ settings: Keybag.Passphrase, _ keybag: Keybag
    ) throws(KeyringError) -> AccountKeys {
        let account = keybag.accountID
        if let record = attempts.newer(account) { throw .attemptsNewer(record) }
        let seconds = attempts.remainingForTry(account)
        guard seconds == 0 else {
            throw attempts.waitsForDamage(account)
                ? .attemptsDamaged(seconds: seconds) : .retryLater(seconds: seconds)
        }
        let stretched = try stretch(passphrase, settings, for: keybag.uid)
        let key = try deriving { () throws(DerivationError) in
            try WrappingKey.account(stretched: stretched, deviceSecret, account)
        }
        guard let keys = try open(keybag, under: key) else {
            let fingerprint = try deriving { () throws(DerivationError) in
                try WrappingKey.fingerprint(stretched: stretched, deviceSecret, account)
            }
            // Written before the reply, so that killing the daemon gains no try.
            let seconds = attempts.recordFailure(account, fingerprint: fingerprint)
            throw .wrongPassphrase(retryAfterSeconds: seconds)
        }
        attempts.clear(account)
        return keys
    }

    /// Whether the passphrase opens the keybag. Counts no attempt: the caller has the keys.
    func isCurrent(_ passphrase: SecretBytes, of keybag: Keybag) throws(KeyringError) -> Bool {
        guard let settings = keybag.passphrase else { return false }
        let stretched = try stretch(passphrase, settings, for: keybag.uid)
        let key = try deriving { () throws(DerivationError) in
            try WrappingKey.account(stretched: stretched, deviceSecret, keybag.accountID)
        }
        return try open(keybag, under: key) != nil
    }

    /// Nil if none of the three unwraps, as after a wrong passphrase; an error if only some do.
    private func open(
        _ keybag: Keybag, under key: SecretBytes
    ) throws(KeyringError) -> AccountKeys? {
        let a = try open(.complete, of: keybag, under: key)
        let b = try open(.completeUnlessOpen, of: keybag, under: key)
        let c = try open(.completeUntilFirstUserAuthentication, of: keybag, under: key)
        if a == nil, b == nil, c == nil { return nil }
        guard let a, let b, let c else { throw .keybag(.keysDamaged) }
        var keys = AccountKeys(a: a, b: b, c: c, names: keybag.keyIDs)
        let current = try allKeys(of: keybag, keys)
        keys.others = try keybag.others.open(under: current, keybag.accountID)
        return keys
    }

    /// Nil if the tag does not verify.
    private func open(
        _ protectionClass: ProtectionClass, of keybag: Keybag, under key: SecretBytes
    ) throws(KeyringError) -> SecretBytes? {
        do throws(SealError) {
            return try keybag.unwrap(protectionClass, under: key)
        } catch {
            guard error == .notAuthentic else { throw .cipher }
            return nil
        }
    }

    private func stretch(
        _ passphrase: SecretBytes, _ settings: Keybag.Passphrase, for user: UInt32
    ) throws(KeyringError) -> SecretBytes {
        try deriving { () throws(DerivationError) in
            try settings.cost.stretch(passphrase, salt: settings.salt, for: user)
        }
    }

    /// Runs a derivation and converts its error to the keyring's.
    private func deriving<Value>(
        _ call: () throws(DerivationError) -> Value
    ) throws(KeyringError) -> Value {
        do throws(DerivationError) { return try call() } catch { throw .derivation(error) }
    }

    /// The fingerprint of a passphrase, to compare with earlier ones.
    func fingerprint(
        _ passphrase: SecretBytes, _ past: PastPassphrases, _ account: AccountID
    ) throws(KeyringError) -> Bytes16 {
        let user = state.read { $0.accounts[account]?.keybag.uid } ?? 0
        let stretched = try stretch(passphrase, past.derivation, for: user)
        return try deriving { () throws(DerivationError) in
            try WrappingKey.fingerprint(stretched: stretched, deviceSecret, account)
        }
    }

    /// Adds D, which is always loaded.
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
}

// MARK: Sealing

extension KeybagSealer {
    /// Sets or removes the passphrase, and wraps all keys over the changed fields.
    func seal(
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
}
