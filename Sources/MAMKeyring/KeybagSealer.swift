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
    /// The one that opened them; nil if no secret did.
    var slot: KeySlot?
}

/// Opens and seals keybags with the device secret, and with a passphrase if there is one.
struct KeybagSealer: Sendable {
    let deviceSecret: SecretBytes
    let cost: KeyDerivationCost
    let chip: Chip
    let attempts: Attempts
    /// Seconds since 1970.
    let clock: @Sendable () -> Int64
    /// For D, which is always loaded.
    let state: SharedState<AccountTable>

    /// Unwraps A, B and C; counts a wrong secret. `id`: the only slot to try; a chip's is not tried
    /// without. The caller holds the account's `passphrases`.
    func openKeys(
        _ keybag: Keybag, passphrase: SecretBytes?, slot id: KeySlot.ID? = nil
    ) throws(KeyringError) -> AccountKeys {
        guard keybag.lock != .deviceSecret else {
            guard passphrase == nil else { throw .passphraseNotUsed }
            let key = try deriving { () throws(DerivationError) in
                try WrappingKey.withoutPassphrase(deviceSecret, keybag.accountID)
            }
            guard let keys = try open(keybag, under: key) else { throw .keybag(.keysDamaged) }
            return keys
        }
        let slot = try id.map { id throws(KeyringError) in try keybag.slot(id) }
        if let slot, let seal = slot.chip {
            return try tryChip(seal, of: slot, pin: passphrase, keybag)
        }
        guard let passphrase else { throw .passphraseRequired }
        return try trySecret(passphrase, keybag, alone: slot)
    }

    private func refuseTooSoon(_ account: AccountID) throws(KeyringError) {
        if let record = attempts.newer(account) { throw .attemptsNewer(record) }
        let seconds = attempts.remainingForTry(account)
        guard seconds == 0 else {
            throw attempts.waitsForDamage(account)
                ? .attemptsDamaged(seconds: seconds) : .retryLater(seconds: seconds)
        }
    }

    private func trySecret(
        _ secret: SecretBytes, _ keybag: Keybag, alone: KeySlot?
    ) throws(KeyringError) -> AccountKeys {
        let account = keybag.accountID
        try refuseTooSoon(account)
        let slots = keybag.slots(for: secret).filter { alone == nil || alone == $0 }
        // It is none that a slot could have.
        guard !slots.isEmpty else { throw .passphraseRequired }
        for (index, slot) in slots.enumerated() {
            let stretched = try stretch(secret, of: slot, keybag.uid)
            let fingerprint =
                index == 0 ? try fingerprint(secret, stretched, by: slot, keybag) : nil
            if let keys = try open(keybag, slot, stretched) {
                attempts.clear(account)
                return keys
            }
            // Written before the reply, and before another slot is tried, so that killing the
            // daemon gains no try.
            if let fingerprint { attempts.recordFailure(account, fingerprint: fingerprint) }
        }
        throw .wrongPassphrase(retryAfterSeconds: attempts.remaining(account))
    }

    /// Of a secret that the slot may refuse. Words have the same in any spelling, although a
    /// passphrase's slot takes them as they are typed. `stretched`: as that slot takes it.
    private func fingerprint(
        _ secret: SecretBytes, _ stretched: SecretBytes, by slot: KeySlot, _ keybag: Keybag
    ) throws(KeyringError) -> Bytes16 {
        let words = slot.kind == .recovery ? nil : KeySlot.Kind.recovery.input(secret)
        guard let words, let derivation = slot.derivation else {
            return try fingerprint(stretched, keybag.accountID)
        }
        return try fingerprint(
            try stretch(words, derivation, for: keybag.uid), keybag.accountID)
    }

    private func fingerprint(
        _ stretched: SecretBytes, _ account: AccountID
    ) throws(KeyringError) -> Bytes16 {
        try deriving { () throws(DerivationError) in
            try WrappingKey.fingerprint(stretched: stretched, deviceSecret, account)
        }
    }

    /// The chip counts wrong PINs, and so does the account's record, which has policy's
    /// consequences. Without a PIN nothing is tried, and no count ends.
    private func tryChip(
        _ seal: ChipSeal, of slot: KeySlot, pin: SecretBytes?, _ keybag: Keybag
    ) throws(KeyringError) -> AccountKeys {
        let account = keybag.accountID
        guard (slot.derivation == nil) == (pin == nil) else {
            throw .refused(
                pin == nil
                    ? "the key slot \(slot.id) needs its PIN" : "the key slot \(slot.id) has no PIN"
            )
        }
        if pin != nil { try refuseTooSoon(account) }
        let stretched = try pin.map { pin throws(KeyringError) in
            try stretch(pin, of: slot, keybag.uid)
        }
        let secret: SecretBytes
        do throws(ChipRefusal) {
            secret = try chip.unseal(seal, pin: try chipPIN(stretched, account))
        } catch {
            guard error == .wrongPIN, let stretched else {
                throw error.error(pcrs: seal.pcrNumbers)
            }
            attempts.recordFailure(account, fingerprint: try fingerprint(stretched, account))
            throw .wrongPassphrase(retryAfterSeconds: attempts.remaining(account))
        }
        let joined = try deriving { () throws(DerivationError) in
            try WrappingKey.chip(secret, stretched: stretched, account)
        }
        guard let keys = try open(keybag, slot, joined) else { throw .keybag(.keysDamaged) }
        if pin != nil { attempts.clear(account) }
        return keys
    }

    /// Nil without a PIN.
    private func chipPIN(
        _ stretched: SecretBytes?, _ account: AccountID
    ) throws(ChipRefusal) -> SecretBytes? {
        guard let stretched else { return nil }
        do throws(DerivationError) {
            return try WrappingKey.chipPIN(stretched: stretched, deviceSecret, account)
        } catch { throw .notAsked(.invalid) }
    }

    /// Whether a secret is that of one of these slots, which are the keybag's or some of them.
    /// Counts no attempt: the caller has the keys.
    func isSecret(
        _ secret: SecretBytes, of slots: [KeySlot], in keybag: Keybag
    ) throws(KeyringError) -> Bool {
        for slot in keybag.slots(for: secret) where slots.contains(slot) {
            let stretched = try stretch(secret, of: slot, keybag.uid)
            guard case .passphrase = keybag.lock else {
                let pair = try keyPair(stretched, keybag.accountID)
                guard pair.publicKey != slot.publicKey else { return true }
                continue
            }
            if try open(keybag, slot, stretched) != nil { return true }
        }
        return false
    }

    /// Nil if the slot's secret is another.
    private func open(
        _ keybag: Keybag, _ slot: KeySlot, _ stretched: SecretBytes
    ) throws(KeyringError) -> AccountKeys? {
        let account = keybag.accountID
        var keys: AccountKeys?
        if case .passphrase = keybag.lock {
            let key = try deriving { () throws(DerivationError) in
                try WrappingKey.account(stretched: stretched, deviceSecret, account)
            }
            keys = try open(keybag, under: key)
        } else {
            let pair = try keyPair(stretched, account)
            guard pair.publicKey == slot.publicKey else { return nil }
            let accountKey = try slot.open(pair.privateKey, account)
            let key = try deriving { () throws(DerivationError) in
                try WrappingKey.account(accountKey, deviceSecret, account)
            }
            keys = try open(keybag, under: key)
            guard keys != nil else { throw .keybag(.keysDamaged) }
        }
        keys?.slot = slot
        return keys
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
        _ passphrase: SecretBytes, _ settings: DerivationParameters, for user: UInt32
    ) throws(KeyringError) -> SecretBytes {
        try deriving { () throws(DerivationError) in
            try settings.cost.stretch(passphrase, salt: settings.salt, for: user)
        }
    }

    /// As its kind of slot takes it.
    private func stretch(
        _ secret: SecretBytes, of slot: KeySlot, _ user: UInt32
    ) throws(KeyringError) -> SecretBytes {
        guard let input = slot.kind.input(secret), let derivation = slot.derivation else {
            throw .derivation(.failure)
        }
        return try stretch(input, derivation, for: user)
    }

    private func keyPair(
        _ stretched: SecretBytes, _ account: AccountID
    ) throws(KeyringError) -> Curve25519.KeyPair {
        let key = try deriving { () throws(DerivationError) in
            try WrappingKey.slot(stretched: stretched, deviceSecret, account)
        }
        do throws(SealError) { return try Curve25519.KeyPair(privateKey: key) } catch {
            throw .cipher
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
        return try fingerprint(try stretch(passphrase, past.derivation, for: user), account)
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
    /// Wraps all keys over the changed fields. With slots, under a new account key.
    func seal(_ keybag: inout Keybag, _ keys: ClassKeys) throws(KeyringError) {
        let account = keybag.accountID
        let wrappingKey: SecretBytes
        switch keybag.lock {
        case .deviceSecret:
            wrappingKey = try deriving { () throws(DerivationError) in
                try WrappingKey.withoutPassphrase(deviceSecret, account)
            }
        case .slots(var slots):
            let accountKey = SecretBytes.random(count: AESGCM.keyByteCount)
            for index in slots.indices { try slots[index].seal(accountKey, account) }
            keybag.lock = .slots(slots)
            wrappingKey = try deriving { () throws(DerivationError) in
                try WrappingKey.account(accountKey, deviceSecret, account)
            }
        case .passphrase:
            // Every change has made it a slot.
            throw .passphraseRequired
        }
        let deviceKey = try deriving { () throws(DerivationError) in
            try WrappingKey.device(deviceSecret, account)
        }
        do throws(SealError) {
            try keybag.wrap(keys, accountKey: wrappingKey, deviceKey: deviceKey)
        } catch { throw .cipher }
    }

    /// A new slot of the keybag, whose account key ``seal(_:_:)`` seals.
    func makeSlot(_ new: NewSlot, in keybag: Keybag) throws(KeyringError) -> KeySlot {
        var made: (derivation: DerivationParameters, stretched: SecretBytes)?
        if let secret = new.secret { made = try stretch(secret, new.kind, keybag.uid) }
        var (stretched, chip) = (made?.stretched, ChipSeal?.none)
        if case .tpm(_, let pcrs) = new {
            (stretched, chip) = try sealByChip(stretched, pcrs: pcrs, keybag.accountID)
        }
        guard let stretched else { throw .emptyPassphrase }
        return KeySlot(
            id: .random(beside: keybag.storedSlots), kind: new.kind, creationTime: max(0, clock()),
            derivation: made?.derivation,
            publicKey: try keyPair(stretched, keybag.accountID).publicKey, chip: chip)
    }

    private func sealByChip(
        _ stretched: SecretBytes?, pcrs: UInt32, _ account: AccountID
    ) throws(KeyringError) -> (SecretBytes?, ChipSeal?) {
        let secret = SecretBytes.random(count: Derivation.byteCount)
        let seal: ChipSeal
        do throws(ChipRefusal) {
            seal = try chip.seal(secret, pin: try chipPIN(stretched, account), pcrs: pcrs)
        } catch { throw error.error() }
        let joined = try deriving { () throws(DerivationError) in
            try WrappingKey.chip(secret, stretched: stretched, account)
        }
        return (joined, seal)
    }

    private func stretch(
        _ secret: SecretBytes, _ kind: KeySlot.Kind, _ user: UInt32
    ) throws(KeyringError) -> (DerivationParameters, SecretBytes) {
        guard secret.count > 0 else { throw .emptyPassphrase }
        guard let input = kind.input(secret) else {
            throw .refused("it is not a recovery passphrase: twelve words with their checksum")
        }
        let derivation = DerivationParameters(cost: cost, salt: SecureRandom.bytes16())
        return (derivation, try stretch(input, derivation, for: user))
    }
}

extension KeySlot.Kind {
    /// What is stretched; nil if the secret cannot be one of this kind.
    fileprivate func input(_ secret: SecretBytes) -> SecretBytes? {
        switch self {
        case .passphrase, .tpm: secret
        case .recovery: RecoveryWords.entropy(of: secret)
        }
    }
}

extension Keybag {
    fileprivate func slot(_ id: KeySlot.ID) throws(KeyringError) -> KeySlot {
        guard let found = slots.first(where: { $0.id == id }) else {
            throw .refused("the account has no slot \(id)", next: "mamctl slot list")
        }
        return found
    }

    /// Those that a secret may open: what needs most memory first, so that a lack of it shows
    /// before a slot has refused a secret that the next one may have. Of the same cost, recovery
    /// words first. No chip's: it would count the secret as a wrong PIN.
    fileprivate func slots(for secret: SecretBytes) -> [KeySlot] {
        let slots =
            slots.filter { $0.kind == .recovery && $0.kind.input(secret) != nil }
            + slots.filter { $0.kind == .passphrase }
        let memory = Set(slots.compactMap(\.derivation?.cost.memoryByteCount))
        return memory.sorted(by: >).flatMap { byteCount in
            slots.filter { $0.derivation?.cost.memoryByteCount == byteCount }
        }
    }
}
