// All accounts of the device by id, and their key ids.

internal import MAMCrypto
internal import MAMModel
internal import MAMSystem

/// The value behind the keyring's state lock.
struct AccountTable: Sendable {
    var accounts: [AccountID: HeldAccount] = [:]
    /// Oldest registration first.
    var order: [AccountID] = []
    var keys: [KeyID: NamedKey] = [:]
    /// Accounts being wiped.
    var wipes: [AccountID: WipeIntent] = [:]

    /// The class key that a file's key id stands for.
    struct NamedKey: Sendable {
        let account: AccountID
        let protectionClass: ProtectionClass
        /// It opens files but seals none.
        let isRetired: Bool
    }
}

extension AccountTable {
    /// Built from the usable keybags; the others are returned.
    static func made(
        of entries: [KeybagStore.Entry], wipes: [AccountID: WipeIntent]
    ) -> (AccountTable, unreadable: [(fileName: String, error: KeybagError)]) {
        var table = AccountTable(wipes: wipes)
        var unreadable: [(fileName: String, error: KeybagError)] = []
        for entry in entries {
            switch entry {
            case .usable(let keybag, let keys):
                table.add(
                    HeldAccount(keybag: keybag, keyD: keys.d, others: keys.joined.secrets))
            case .unreadable(let fileName, let error): unreadable.append((fileName, error))
            }
        }
        return (table, unreadable)
    }

    mutating func add(_ account: HeldAccount) {
        let id = account.keybag.accountID
        order.removeAll { $0 == id }
        accounts[id] = account
        nameKeys(of: account.keybag)
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if isRegistered(order[middle], before: account.keybag) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        order.insert(id, at: low)
    }

    /// The id breaks ties within a second, so that the order is the same at every start.
    private func isRegistered(_ id: AccountID, before other: Keybag) -> Bool {
        let time = accounts[id]?.keybag.registrationTime ?? 0
        guard time == other.registrationTime else { return time < other.registrationTime }
        return "\(id.bytes)" < "\(other.accountID.bytes)"
    }

    /// Takes over a changed keybag. New class keys are loaded only where their predecessors are;
    /// the predecessors now only open files.
    mutating func replace(_ keybag: Keybag, _ keys: AccountKeys) {
        guard var account = accounts[keybag.accountID] else { return }
        if account.keybag.keyIDs != keybag.keyIDs {
            let old = account.keybag.keyIDs
            account.others[old.a] = account.keyA
            account.others[old.b] = account.privateKeyB
            account.others[old.c] = account.keyC
            account.keyA = account.keyA.map { _ in keys.a }
            account.privateKeyB = account.privateKeyB.map { _ in keys.b }
            account.keyC = account.keyC.map { _ in keys.c }
        }
        for key in keys.others where account.key(key.protectionClass) != nil {
            account.others[key.id] = account.others[key.id] ?? key.secret
        }
        account.keybag = keybag
        accounts[keybag.accountID] = account
        nameKeys(of: keybag)
    }

    /// Registers the key ids of a keybag.
    mutating func nameKeys(of keybag: Keybag) {
        let account = keybag.accountID
        for protectionClass in ProtectionClass.allCases {
            keys[keybag.keyID(protectionClass)] = NamedKey(
                account: account, protectionClass: protectionClass, isRetired: false)
        }
        for (id, protectionClass) in keybag.others.names {
            keys[id] = NamedKey(
                account: account, protectionClass: protectionClass, isRetired: true)
        }
    }

    mutating func remove(_ account: AccountID) {
        guard let entry = accounts.removeValue(forKey: account) else { return }
        for key in [entry.keyA, entry.privateKeyB, entry.keyC, entry.keyD] { key?.erase() }
        for key in entry.others.values { key.erase() }
        order.removeAll { $0 == account }
        keys = keys.filter { $0.value.account != account }
    }
}

extension SharedState<AccountTable> {
    func keybag(of account: AccountID) throws(KeyringError) -> Keybag {
        guard let keybag = read({ $0.accounts[account]?.keybag }) else {
            throw .unknownAccount(account)
        }
        return keybag
    }
}

/// One account and those of its keys that are loaded.
struct HeldAccount: Sendable {
    var keybag: Keybag
    let keyD: SecretBytes
    /// Nil once dropped.
    var keyA: SecretBytes?
    var privateKeyB: SecretBytes?
    var keyC: SecretBytes?
    /// Earlier and imported keys, which only open files. Loaded and dropped with their class.
    var others: [KeyID: SecretBytes] = [:]

    /// Derived from the loaded keys.
    var window: WindowState {
        keyA != nil ? .unlocked : keyC != nil ? .locked : .beforeFirstUnlock
    }
}

extension HeldAccount {
    /// The key that opens files of a class: for B the private key. Nil while the window is closed.
    func key(_ protectionClass: ProtectionClass) -> SecretBytes? {
        switch protectionClass {
        case .complete: keyA
        case .completeUnlessOpen: privateKeyB
        case .completeUntilFirstUserAuthentication: keyC
        case .none: keyD
        }
    }

    /// For a key id, which may be an earlier key's.
    func key(_ id: KeyID, of protectionClass: ProtectionClass) -> SecretBytes? {
        keybag.keyID(protectionClass) == id ? key(protectionClass) : others[id]
    }

    mutating func dropLockedKeys() {
        keyA?.erase()
        privateKeyB?.erase()
        keyA = nil
        privateKeyB = nil
        dropOthers(of: [.complete, .completeUnlessOpen])
    }

    mutating func dropKeyC() {
        keyC?.erase()
        keyC = nil
        dropOthers(of: [.completeUntilFirstUserAuthentication])
    }

    private mutating func dropOthers(of classes: [ProtectionClass]) {
        for (id, protectionClass) in keybag.others.names where classes.contains(protectionClass) {
            others.removeValue(forKey: id)?.erase()
        }
    }
}
