// What the vault calls: accounts, their class keys, and the keys of their files.

internal import Glibc
package import MAMCrypto
internal import MAMLocks
package import MAMModel
package import MAMSystem
internal import Synchronization

/// All accounts of this device and their loaded keys. Thread-safe.
///
/// Locks are taken in the order of ``KeyringLocks``, and `state` last, which is held only briefly;
/// the data path takes `state` alone.
package final class Keyring: Sendable {
    let deviceSecret: SecretBytes
    let files: AccountFiles
    let clock: @Sendable () -> Int64
    let locks = KeyringLocks()
    let state: SharedState<AccountTable>
    let sealer: KeybagSealer
    let changes: KeybagChanges
    /// True if the device secret is a file of the state directory, not a credential.
    package let hasSecretOfItsOwn: Bool
    /// The accounts being wiped.
    package let wipes: WipeLog
    package let recovery: RecoverySealer

    /// Unusable keybags, by file name in `keybags/`. They are left unchanged.
    package let unreadableKeybags: [(fileName: String, error: KeybagError)]

    /// Loads all keybags of a state directory; creates the device secret at the first start.
    ///
    /// `clock`: seconds since 1970. `report`: called on any thread, now and later, with repairs and
    /// failures; for the log. `mayRepair`: false to leave keybags unchanged. `isReadOnly`: leaves
    /// leftovers of a crash, too. `credential`: the device secret if systemd provides it.
    package init(
        stateDirectory: Descriptor, cost: KeyDerivationCost = .standard, mayRepair: Bool = true,
        isReadOnly: Bool = false, credential: SecretBytes? = nil, chip: Chip = .absent,
        clock: @escaping @Sendable () -> Int64 = { Int64(time(nil)) },
        report: @escaping @Sendable (KeyringFinding) -> Void
    ) throws(KeyringError) {
        startCrypto()
        let directory = stateDirectory.raw
        let wipeStore = try storing { () throws(Errno) in try WipeStore(in: directory) }
        let files = try storing { () throws(Errno) in
            try AccountFiles(in: directory, clock: clock, report: report)
        }
        // Before any keybag is loaded, which could be restored from its other copy.
        let found = try WipeLog.find(wipeStore, files, mayDestroy: mayRepair)
        if mayRepair && !isReadOnly { wipeStore.takeSpareRoom() }
        let secret = try loadDeviceSecret(
            in: directory, for: files.keybags, isReadOnly: isReadOnly, credential: credential)
        let entries = try storing { () throws(Errno) in
            try files.keybags.load(
                deviceSecret: secret, except: found.accounts, mayRepair: mayRepair, report: report)
        }
        let (table, unreadable) = AccountTable.made(of: entries, wipes: found.decided)
        unreadableKeybags = unreadable
        state = SharedState(table)
        (self.files, self.clock, deviceSecret) = (files, clock, secret)
        hasSecretOfItsOwn = credential == nil
        sealer = KeybagSealer(
            deviceSecret: secret, cost: cost, chip: chip, attempts: files.attempts, clock: clock,
            state: state)
        changes = KeybagChanges(files, sealer, locks)
        wipes = WipeLog(store: wipeStore, files: files, locks: locks, state: state)
        recovery = RecoverySealer(sealer: sealer, state: state, clock: clock)
    }

    // MARK: Queries

    /// All accounts, oldest registration first.
    package var accounts: [AccountID] { state.read { $0.order } }

    /// The account's name and object id; nobody if the account does not exist.
    package func identity(of account: AccountID) -> Identity {
        state.read { $0.accounts[account]?.keybag.identity ?? .nobody }
    }

    /// The account with this identity's name or object id; nil for nobody.
    package func account(matching identity: Identity) -> AccountID? {
        guard !identity.isNobody else { return nil }
        return state.read { state in
            state.order.first { state.accounts[$0]?.keybag.identity.matches(identity) == true }
        }
    }

    /// The account that either name of an identity already refers to: users type a name, an object
    /// id or an account's id interchangeably, so one text must not refer to two accounts.
    package func account(claimedBy identity: Identity) -> AccountID? {
        let texts = [identity.name, identity.objectID].filter { !$0.isEmpty }
        return account(matching: identity)
            ?? accounts.first { account in texts.contains { answers(account, to: $0) } }
    }

    /// True for a name, object id or account id of the account.
    func answers(_ account: AccountID, to text: String) -> Bool {
        identity(of: account).matches(text) || account.bytes.description == text.lowercased()
    }

    /// The account of a file's key id.
    package func account(ofKey key: KeyID) -> AccountID? {
        state.read { $0.keys[key]?.account }
    }

    /// Also says whether the key is retired: what it opens has to be sealed again.
    package func holder(ofKey key: KeyID) -> (account: AccountID, isRetired: Bool)? {
        state.read { state in state.keys[key].map { ($0.account, $0.isRetired) } }
    }

    /// The id of the key that seals an account's new class A files; it changes whenever the account
    /// gets new keys.
    package func keyID(of account: AccountID) -> KeyID? {
        state.read { $0.accounts[account]?.keybag.keyID(.complete) }
    }

    /// The user that registered the account.
    package func uid(of account: AccountID) -> UInt32? {
        state.read { $0.accounts[account]?.keybag.uid }
    }

    /// True if unlocking the account needs a passphrase.
    package func hasPassphrase(_ account: AccountID) -> Bool {
        state.read { $0.accounts[account]?.keybag.slots.isEmpty == false }
    }

    /// Wrong passphrases since the last right one; immediate repetitions count once.
    package func failureCount(_ account: AccountID) -> Int { files.attempts.failures(account) }

    /// The seconds until the next passphrase is tried; 0: now.
    package func retryAfterSeconds(_ account: AccountID) -> Int64 {
        files.attempts.remaining(account)
    }

    /// True if the account's registration failed but its keybag may be on disk. The next start may
    /// load it, without files.
    package func mayComeBack(_ account: AccountID) -> Bool { changes.mayComeBack(account) }
}

/// Listed in the order in which they are taken; the account table's own lock comes last.
/// `registrations` and `passphrases` are held during key derivation, so that `changes` and the
/// vault's locks never are; `changes` is held during disk I/O, one change at a time.
final class KeyringLocks: Sendable {
    /// Serialises an account's wipes. The vault's transitions come between this and the others.
    let wipes = LockTable<AccountID>()
    /// Serialises the creation of names, so that none is used twice.
    let registrations = Shares(total: 1)
    /// Held while an account's passphrase is tried or changed.
    let passphrases = LockTable<AccountID>()
    let changes = Mutex(())
}
