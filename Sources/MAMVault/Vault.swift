// One workspace's state: accounts, windows, policies in force, and the services that keep them.

package import MAMAudit
package import MAMFormat
package import MAMIdentity
package import MAMKeyring
package import MAMModel
package import MAMPolicy
package import MAMSettings
internal import MAMStore
package import MAMSystem
package import Synchronization

/// One workspace's accounts, windows and rules.
package final class Vault: Sendable {
    /// As they were at the start; of them ``accountRules`` changes.
    package let settings: Settings
    package let currentAccountRules: Guarded<AccountRules>
    package let identities = ProcessIdentities()
    package let sessions = SessionIdentities()
    /// Read with ``policy(of:)``, changed with ``replacePolicies(_:)``.
    package let inForce: Guarded<PoliciesInForce>
    package let clock: Clock
    package let keyring: Keyring
    package let log: Log
    let sealer: KeyringSealer
    package let openFiles = OpenFiles()
    /// Of some file that is closed: what was to be stored may not be.
    package let hasLeftUnfinished = Atomic<Bool>(false)
    package let uncertainEnds = UncertainEnds()
    package let keyNews = KeyNews()
    package let windows = Guarded<[AccountID: AccountWindows]>([:])
    /// One lock or unlock of an account at a time. Held over purging, so never by a thread that
    /// serves the mount, and never for two accounts by one thread.
    package let transitions = LockTable<AccountID>()
    package let events = Hub<AccountEvent>()
    package let metrics: Metrics
    /// Added to with ``audit(_:_:_:)`` and its kin.
    package let trail: AuditTrail
    package let classRecords: ClassRecords?
    /// What keeps accounts closed beside a lock.
    package let blocks = Mutex<[AccountID: AccountBlock]>([:])
    package let enrollments: Enrollments
    /// Nil where nothing may be written. Held over changes of the records.
    package let recoveryRecords = Mutex<RecoveryRecords?>(nil)
    /// The accounts whose files a thread goes through now; true if an unlock meanwhile wants it
    /// once more.
    package let updating = Mutex<[AccountID: Bool]>([:])

    /// The window of files whose key is not on this device.
    private let missing = AccessWindow(.closed)
    /// The window of files whose account is being wiped.
    private let revoked = AccessWindow(.revoked)
    /// The users that the setting AccountUsers names.
    package let userIDs = UserIDs()
    /// Searches through the tree for whose a name or key is. Nothing else is taken inside of them.
    package let searches = FairLock()
    package let importNeed = Mutex(ImportNeed())
    package let accountsToAdd = Mutex(AccountsToAdd())
    /// Of what the daemon itself wrote into the backing directory.
    package let marks: Marks
    /// One registration of a user at a time. Comes before all other locks.
    package let registering = LockTable<UInt32>()
    /// One wipe of an account at a time. Comes before `transitions`.
    package let wiping = LockTable<AccountID>()

    /// `stateDirectory`: where it is remembered which files have the right class; nil in tests.
    /// `workspace`: its id.
    package init(
        settings: Settings, policies: PolicyBook, keyring: Keyring, stateDirectory: Int32?,
        workspace: Bytes16 = .zero, log: Log, clock: Clock = Clock()
    ) throws(Errno) {
        classRecords = try stateDirectory.map(ClassRecords.init)
        self.settings = settings
        currentAccountRules = Guarded(settings.accountRules)
        metrics = Metrics(isOn: !settings.telemetryDisabled)
        trail = AuditTrail(
            inState: stateDirectory, maximumByteCount: settings.auditMiB << 20, log: log)
        inForce = Guarded(PoliciesInForce(policies))
        self.clock = clock
        self.keyring = keyring
        marks = Marks(of: workspace, by: keyring)
        self.log = log
        sealer = KeyringSealer(keyring: keyring)
        enrollments = try Enrollments(
            in: stateDirectory, keyring.accounts, settings, log, at: clock.now)
        for account in keyring.accounts { addWindows(for: account) }
    }

    package func addWindows(for account: AccountID) {
        windows.withLock { windows in
            if windows[account] == nil { windows[account] = AccountWindows() }
        }
    }

    package func windows(of account: AccountID) -> AccountWindows? {
        windows.withLock { $0[account] }
    }

    /// The window that a file's header puts it behind; nil for a file that is not encrypted.
    package func window(for header: FileHeader?) -> AccessWindow? {
        guard let sealing = header?.sealing else { return nil }
        guard let account = keyring.account(ofKey: sealing.keyID),
            let windows = windows(of: account)
        else { return keyring.wipes.first(ofKey: sealing.keyID) == nil ? missing : revoked }
        return windows.window(sealing.protectionClass)
    }

    /// True if a file with this header could be opened now.
    package func isOpen(_ header: FileHeader) -> Bool { window(for: header)?.allowsOpen ?? true }
}
