// From a passphrase to class keys, and what a wrong one costs.

internal import MAMCrypto
internal import MAMModel

/// The keys that the passphrase opens.
package struct AccountKeys: Sendable {
    let a: SecretBytes
    /// The private half.
    let b: SecretBytes
    let c: SecretBytes
    /// Those that open files too.
    var others: [OtherKeys.Key] = []
    /// What files know the present ones by: the account may have got others meanwhile.
    let names: PerClass<KeyID>
}

extension Keyring {
    /// Opens A, B and C, counting a wrong passphrase. The caller holds the account's `passphrases`.
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
            // Written before the answer, so that killing the daemon after it gains no try.
            let seconds = attempts.recordFailure(account, fingerprint: fingerprint)
            throw .wrongPassphrase(retryAfterSeconds: seconds)
        }
        attempts.clear(account)
        return keys
    }

    /// Nil if none of the three opens, which is what a wrong passphrase looks like; damage if only some do.
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

    func stretch(
        _ passphrase: SecretBytes, _ settings: Keybag.Passphrase, for user: UInt32
    ) throws(KeyringError) -> SecretBytes {
        try deriving { () throws(DerivationError) in
            try settings.cost.stretch(passphrase, salt: settings.salt, for: user)
        }
    }

    /// Runs a derivation whose failure is the keyring's.
    func deriving<Value>(
        _ call: () throws(DerivationError) -> Value
    ) throws(KeyringError) -> Value {
        do throws(DerivationError) { return try call() } catch { throw .derivation(error) }
    }
}
