// All accounts of the device by their ids, and where a key id leads.

internal import MAMCrypto
internal import MAMModel
internal import MAMSystem

/// What the keyring's state guards.
struct AccountTable: Sendable {
    var accounts: [AccountID: HeldAccount] = [:]
    /// Oldest registration first.
    var order: [AccountID] = []
    var keys: [KeyID: NamedKey] = [:]
    /// The accounts that are being destroyed.
    var wipes: [AccountID: WipeIntent] = [:]

    /// What a file's key id leads to.
    struct NamedKey: Sendable {
        let account: AccountID
        let protectionClass: ProtectionClass
        /// It opens files, and seals none.
        let isRetired: Bool
    }
}

extension AccountTable {
    /// Of the keybags that can be used; the others are returned.
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
        accounts[id] = account
        nameKeys(of: account.keybag)
        order = accounts.values.map(\.keybag).sorted {
            // The id decides between two of one second, so that the order is the same at every
            // start.
            ($0.registrationTime, "\($0.accountID.bytes)")
                < ($1.registrationTime, "\($1.accountID.bytes)")
        }.map(\.accountID)
    }

    /// After a change of an account's keybag. Of new class keys those come to hand whose
    /// predecessors are; these open files from now on, and seal none.
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

    /// Which account and class a file's key id leads to.
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
