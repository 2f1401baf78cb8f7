// MAMKeyring: accounts, their class keys, and the keys of their files. It knows the state directory and
// secrets; it knows nothing of protected files' content, of policy, or of time but for wrong passphrases.
//
//   Keyring (+Accounts, +Windows, +FileKeys), FileKeyWrapper   what the vault calls
//   Keybag (+Decode, +Encode), ClassKeys                       an account's record, pure
//   Keyring+Retire, OtherKeys, RetiredKeys, JoinedKey          keys beside the present ones
//   Keyring+Join                                               an import into an account of ours
//   Keyring+Wipe, WipeIntent                                   destroying an account
//   Keyring+Export, KeyExport (+Decode, +Encode, +Seal)         an account's keys for another machine
//   KeyAgreement                                               sealing to a public key
//   RecoveryKeyFile, RecoveryRecords                           the same for an organisation
//   KeybagStore, WipeStore, Attempts, PassphraseHistory, DeviceSecret, StateFile   the state directory

internal import Glibc
package import MAMCrypto
package import MAMModel
package import MAMSystem
internal import Synchronization

/// All accounts of this device and the keys that are at hand. Thread-safe.
///
/// Lock order: `registrations`, `passphrases` of one account, `changes`, `state`. The first two are
/// held over key derivation, so that nobody holds `changes` or the vault's locks for as long as
/// that takes; `changes` is held over disk, one change at a time; `state` only for a moment, and
/// the data path takes it alone.
package final class Keyring: Sendable {
    let deviceSecret: SecretBytes
    let store: KeybagStore
    let attempts: Attempts
    let wipeStore: WipeStore
    let histories: PassphraseHistory
    let cost: KeyDerivationCost
    let clock: @Sendable () -> Int64
    let report: @Sendable (KeyringFinding) -> Void
    /// The device secret is a file of the state directory, and no credential.
    package let hasSecretOfItsOwn: Bool

    /// Who makes a new name: one at a time, for no name may be taken twice.
    let registrations = Shares(total: 1)
    /// Who tries or changes an account's passphrase.
    let passphrases = LockTable<AccountID>()
    let changes = Mutex(())
    /// What may be left on disk of registrations that failed.
    let leftovers = Mutex<[AccountID: Identity]>([:])
    let state: SharedState<State>

    /// Keybags that cannot be used, by the name of a file in `keybags/`. They are left as they are.
    package let unreadableKeybags: [(fileName: String, error: KeybagError)]

    /// Guarded by `state`.
    struct State: Sendable {
        var accounts: [AccountID: Account] = [:]
        /// Oldest registration first.
        var order: [AccountID] = []
        var keys: [KeyID: NamedKey] = [:]
        /// The accounts that are being destroyed.
        var wipes: [AccountID: WipeIntent] = [:]
    }

    /// What a file's key id leads to.
    struct NamedKey: Sendable {
        let account: AccountID
        let protectionClass: ProtectionClass
        /// It opens files, and seals none.
        let isRetired: Bool
    }

    /// One account and what of its keys is at hand.
    struct Account: Sendable {
        var keybag: Keybag
        let keyD: SecretBytes
        /// Nil when dropped.
        var keyA: SecretBytes?
        var privateKeyB: SecretBytes?
        var keyC: SecretBytes?
        /// Those that open files beside the present ones. Each comes and goes with its class.
        var others: [KeyID: SecretBytes] = [:]

        /// By the keys that are at hand.
        var window: WindowState {
            keyA != nil ? .unlocked : keyC != nil ? .locked : .beforeFirstUnlock
        }
    }

    /// Reads all keybags of a state directory; makes the device secret at the first start.
    ///
    /// The clock gives seconds since 1970. `report` is told what was repaired or cannot be used, now and
    /// later, on any thread; for the log. `mayRepair`: false to leave keybags as they are, whatever they are.
    /// `isReadOnly`: what a crash left beside them stays too. `credential`: the device secret, if the service manager
    /// keeps it.
    package init(
        stateDirectory: Descriptor, cost: KeyDerivationCost = .standard, mayRepair: Bool = true,
        isReadOnly: Bool = false, credential: SecretBytes? = nil,
        clock: @escaping @Sendable () -> Int64 = { Int64(time(nil)) },
        report: @escaping @Sendable (KeyringFinding) -> Void
    ) throws(KeyringError) {
        startCrypto()
        self.cost = cost
        self.clock = clock
        self.report = report
        hasSecretOfItsOwn = credential == nil
        let directory = stateDirectory.raw
        store = try Self.storing { () throws(Errno) in try KeybagStore(in: directory) }
        wipeStore = try Self.storing { () throws(Errno) in try WipeStore(in: directory) }
        histories = try Self.storing { () throws(Errno) in try PassphraseHistory(in: directory) }
        attempts = try Self.storing { () throws(Errno) in
            try Attempts(in: directory, clock: clock, report: report)
        }
        // Before any keybag is read: one of its copies would repair the other.
        let wipes = try Self.findWipes(
            wipeStore, store, attempts, histories, mayDestroy: mayRepair, report: report)
        let isFirstStart = try Self.storing { [store] () throws(Errno) in
            try !store.hasKeybags()
        }
        let secret = try Self.loadDeviceSecret(
            in: directory, mayCreate: isFirstStart, credential: credential)
        deviceSecret = secret
        try Self.storing { () throws(Errno) in
            if isReadOnly { return }
            try removeUnfinishedFiles(in: directory)
            try Self.makeDurable(directory, withAllThatLeadsToIt: isFirstStart)
        }
        let entries = try Self.storing { [store] () throws(Errno) in
            try store.load(
                deviceSecret: secret, except: wipes.accounts, mayRepair: mayRepair, report: report)
        }
        var state = State()
        state.wipes = wipes.decided
        var unreadable: [(fileName: String, error: KeybagError)] = []
        for entry in entries {
            switch entry {
            case .usable(let keybag, let keys):
                state.add(Account(keybag: keybag, keyD: keys.d, others: keys.joined.secrets))
            case .unreadable(let fileName, let error): unreadable.append((fileName, error))
            }
        }
        unreadableKeybags = unreadable
        self.state = SharedState(state)
    }

    /// A keybag must not survive a crash that the secret does not, nor a directory above them. Whoever made these may
    /// have been killed before they were synced, so that it is done at each start: of all that leads here until the
    /// first account is registered.
    private static func makeDurable(
        _ directory: Int32, withAllThatLeadsToIt: Bool
    ) throws(Errno) {
        try withAllThatLeadsToIt
            ? synchronizeFileSystem(of: directory) : synchronize(directory)
    }

    private static func loadDeviceSecret(
        in directory: Int32, mayCreate: Bool, credential: SecretBytes?
    ) throws(KeyringError) -> SecretBytes {
        do throws(DeviceSecretError) {
            return try DeviceSecret.load(
                in: directory, mayCreate: mayCreate, credential: credential)
        } catch { throw .deviceSecret(error) }
    }

    /// Runs a call on the state directory whose failure is the keyring's.
    static func storing<Value>(_ call: () throws(Errno) -> Value) throws(KeyringError) -> Value {
        do throws(Errno) { return try call() } catch { throw .storage(error) }
    }

    // MARK: Questions

    /// All accounts, oldest registration first.
    package var accounts: [AccountID] { state.read { $0.order } }

    /// The account's name and object id; nobody for an account that is not here.
    package func identity(of account: AccountID) -> Identity {
        state.read { $0.accounts[account]?.keybag.identity ?? .nobody }
    }

    /// The account that has this identity's name or object id; nil for nobody.
    package func account(matching identity: Identity) -> AccountID? {
        guard !identity.isNobody else { return nil }
        return state.read { state in
            state.order.first { state.accounts[$0]?.keybag.identity.matches(identity) == true }
        }
    }

    /// The account that either name of an identity means already: people type a name, an object id or an account's id
    /// for each other, and one text must not mean two accounts.
    package func account(claimedBy identity: Identity) -> AccountID? {
        let texts = [identity.name, identity.objectID].filter { !$0.isEmpty }
        return account(matching: identity)
            ?? accounts.first { account in texts.contains { answers(account, to: $0) } }
    }

    /// True for a name, object id or account id of the account.
    func answers(_ account: AccountID, to text: String) -> Bool {
        identity(of: account).matches(text) || account.bytes.description == text.lowercased()
    }

    /// The account that a file's key id leads to.
    package func account(ofKey key: KeyID) -> AccountID? {
        state.read { $0.keys[key]?.account }
    }

    /// The same, and whether the key is one that seals nothing any more: what it opens is to be
    /// sealed anew.
    package func holder(ofKey key: KeyID) -> (account: AccountID, isRetired: Bool)? {
        state.read { state in state.keys[key].map { ($0.account, $0.isRetired) } }
    }

    /// The name of the key that seals an account's new files of class A: another one after each
    /// time that it got new keys.
    package func keyID(of account: AccountID) -> KeyID? {
        state.read { $0.accounts[account]?.keybag.keyID(.complete) }
    }

    /// The user that registered the account.
    package func uid(of account: AccountID) -> UInt32? {
        state.read { $0.accounts[account]?.keybag.uid }
    }

    /// True if an unlock of the account needs a passphrase.
    package func hasPassphrase(_ account: AccountID) -> Bool {
        state.read { $0.accounts[account]?.keybag.passphrase != nil }
    }

    /// Wrong passphrases since the last right one; the same one twice in a row is one.
    package func failureCount(_ account: AccountID) -> Int { attempts.failures(account) }

    /// Seconds until a passphrase of the account is tried; 0: now.
    package func retryAfterSeconds(_ account: AccountID) -> Int64 { attempts.remaining(account) }
}

extension Keyring.State {
    mutating func add(_ account: Keyring.Account) {
        let id = account.keybag.accountID
        accounts[id] = account
        nameKeys(of: account.keybag)
        order = accounts.values.map(\.keybag).sorted {
            // The id decides between two of one second, so that the order is the same at every start.
            ($0.registrationTime, "\($0.accountID.bytes)")
                < ($1.registrationTime, "\($1.accountID.bytes)")
        }.map(\.accountID)
    }
}
