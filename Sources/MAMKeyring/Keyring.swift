// What the vault calls: accounts, their class keys, and the keys of their files.

internal import Glibc
package import MAMCrypto
package import MAMModel
package import MAMSystem
internal import Synchronization

/// All accounts of this device and the keys that are at hand. Thread-safe.
///
/// Locks are taken in the order of ``KeyringLocks``, and `state` last: that is held only for a
/// moment, and the data path takes it alone.
package final class Keyring: Sendable {
    let deviceSecret: SecretBytes
    let files: AccountFiles
    let clock: @Sendable () -> Int64
    let locks = KeyringLocks()
    let state: SharedState<AccountTable>
    let sealer: KeybagSealer
    let changes: KeybagChanges
    /// The device secret is a file of the state directory, and no credential.
    package let hasSecretOfItsOwn: Bool
    /// The accounts that are being destroyed.
    package let wipes: WipeLog
    package let recovery: RecoverySealer

    /// Keybags that cannot be used, by the name of a file in `keybags/`. They are left as they are.
    package let unreadableKeybags: [(fileName: String, error: KeybagError)]

    /// Reads all keybags of a state directory; makes the device secret at the first start.
    ///
    /// The clock gives seconds since 1970. `report` is told what was repaired or cannot be used,
    /// now and later, on any thread; for the log. `mayRepair`: false to leave keybags as they are,
    /// whatever they are.
    /// `isReadOnly`: what a crash left beside them stays too. `credential`: the device secret, if
    /// the service manager keeps it.
    package init(
        stateDirectory: Descriptor, cost: KeyDerivationCost = .standard, mayRepair: Bool = true,
        isReadOnly: Bool = false, credential: SecretBytes? = nil,
        clock: @escaping @Sendable () -> Int64 = { Int64(time(nil)) },
        report: @escaping @Sendable (KeyringFinding) -> Void
    ) throws(KeyringError) {
        startCrypto()
        let directory = stateDirectory.raw
        let wipeStore = try storing { () throws(Errno) in try WipeStore(in: directory) }
        let files = try storing { () throws(Errno) in
            try AccountFiles(in: directory, clock: clock, report: report)
        }
        // Before any keybag is read: one of its copies would repair the other.
        let found = try WipeLog.find(wipeStore, files, mayDestroy: mayRepair)
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
            deviceSecret: secret, cost: cost, attempts: files.attempts, state: state)
        changes = KeybagChanges(files, sealer, locks)
        wipes = WipeLog(store: wipeStore, files: files, locks: locks, state: state)
        recovery = RecoverySealer(sealer: sealer, state: state, clock: clock)
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

    /// The account that either name of an identity means already: people type a name, an object id
    /// or an account's id for each other, and one text must not mean two accounts.
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
    package func failureCount(_ account: AccountID) -> Int { files.attempts.failures(account) }

    /// Seconds until a passphrase of the account is tried; 0: now.
    package func retryAfterSeconds(_ account: AccountID) -> Int64 {
        files.attempts.remaining(account)
    }

    /// True for an account whose registration failed, and whose keybag may be on disk all the same.
    /// The next start may find it, without files.
    package func mayComeBack(_ account: AccountID) -> Bool { changes.mayComeBack(account) }
}
