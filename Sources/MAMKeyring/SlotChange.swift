// What a change does to the secrets that open an account.

internal import MAMCrypto
internal import MAMModel
internal import MAMSystem

enum SlotChange {
    case kept
    /// A new passphrase in place of the one that opened the keybag; nil for none, and for no slot.
    /// `replacingAll`: in place of all passphrases. `previousBlockCount`: how many of the last ones
    /// may not be reused.
    case passphrase(SecretBytes?, replacingAll: Bool, previousBlockCount: Int)
    case added(NewSlot, previousBlockCount: Int)
    case removed(KeySlot.ID)

    var addsPassphrase: Bool { rule?.new != nil }

    /// False if no passphrase of before stays in a keybag of before, which has one.
    var keepsPassphrases: Bool {
        if case .passphrase = self { false } else { true }
    }

    /// What policy has to say of former passphrases; `new`: nil for words, which are none.
    fileprivate var rule: (new: SecretBytes?, previousBlockCount: Int)? {
        switch self {
        case .passphrase(let new?, _, let count), .added(.passphrase(let new), let count):
            (new, count)
        case .added(.recovery, let count): (nil, count)
        default: nil
        }
    }
}

extension KeybagChanges {
    /// `opener`: the slot that opened the keybag; nil if no secret did.
    func apply(
        _ change: SlotChange, to keybag: inout Keybag, openedBy opener: KeySlot?
    ) throws(KeyringError) {
        switch change {
        case .kept: return
        case .passphrase(nil, _, _): keybag.lock = .deviceSecret
        case .passphrase(let new?, let replacingAll, _):
            // Words, and what proves the keys, stand in for a passphrase that is forgotten.
            let isForgotten = opener?.kind != .passphrase
            let kept = keybag.storedSlots.filter {
                $0.kind != .passphrase || !replacingAll && !isForgotten && $0.id != opener?.id
            }
            try add(.passphrase(new), to: &keybag, besides: kept)
        case .added(let new, _):
            guard keybag.lock != .deviceSecret else {
                throw .refused(
                    "the account has no passphrase: this device opens it without one",
                    next: "mamctl account passphrase")
            }
            try add(new, to: &keybag, besides: keybag.storedSlots)
        case .removed(let id): try remove(id, from: &keybag)
        }
    }

    private func add(
        _ new: NewSlot, to keybag: inout Keybag, besides kept: [KeySlot]
    ) throws(KeyringError) {
        guard kept.count < KeySlot.maximumCount else {
            throw .refused(
                "the account has \(kept.count) slots, and its keybag has room for no more",
                next: "mamctl slot remove")
        }
        // A secret that was replaced or removed must not go on opening the account.
        if let secret = new.secret, try sealer.isSecret(secret, of: kept, in: keybag) {
            throw .refused(
                "another slot of the account has it", next: "mamctl slot test", cause: .passphrase)
        }
        keybag.lock = .slots(kept + [try sealer.makeSlot(new, in: keybag)])
    }

    private func remove(_ id: KeySlot.ID, from keybag: inout Keybag) throws(KeyringError) {
        let slots = keybag.storedSlots
        // Under no id a keybag of before shows the only passphrase that it has.
        let kept = slots.filter { $0.id != id && id != .none }
        guard kept.count < slots.count else {
            throw .refused("the account has no slot \(id)", next: "mamctl slot list")
        }
        guard kept.contains(where: { $0.kind == .passphrase }) else {
            throw .refused(
                "it is the account's only passphrase", next: "mamctl account passphrase")
        }
        keybag.lock = .slots(kept)
    }
}

// MARK: Former passphrases

extension KeybagChanges {
    /// The history to store once the passphrase is changed; nil if none is needed. Throws if the
    /// new passphrase is among the last ones, including the present. The caller holds the account's
    /// `passphrases`.
    func history(
        of keybag: Keybag, _ opened: AccountKeys, from secret: SecretBytes?, _ change: SlotChange
    ) throws(KeyringError) -> PastPassphrases? {
        guard let (new, count) = change.rule, count > 0 else { return nil }
        let account = keybag.accountID
        // A fingerprint is stored only when its passphrase is changed, or words may change it.
        if let new, try sealer.isSecret(new, of: keybag.slots, in: keybag) {
            throw Self.isPast(count)
        }
        var past =
            files.histories.load(account, report: report)
            ?? PastPassphrases(
                DerivationParameters(cost: sealer.cost, salt: SecureRandom.bytes16()))
        let isByPassphrase = opened.slot?.kind == .passphrase
        if let secret, isByPassphrase {
            past.add(try sealer.fingerprint(secret, past, account))
        }
        guard let new else { return past }
        let fingerprint = try sealer.fingerprint(new, past, account)
        guard !past.fingerprints.prefix(count).contains(fingerprint) else {
            throw Self.isPast(count)
        }
        if !isByPassphrase { past.add(fingerprint) }
        return past
    }

    private static func isPast(_ count: Int) -> KeyringError {
        .refused(
            "it is one of the last \(count) passphrases (previousPinBlockCount)",
            cause: .passphrase)
    }

    func remember(_ past: PastPassphrases, of account: AccountID) {
        do throws(Errno) { try files.histories.save(past, of: account) } catch {
            report(.historyNotWritten(account, error))
        }
    }
}
