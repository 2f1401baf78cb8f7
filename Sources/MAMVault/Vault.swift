// One workspace's state: accounts, windows, policies in force, and the services that store them.

package import MAMFormat
package import MAMIdentity
package import MAMKeyring
package import MAMModel
package import MAMPolicy
package import MAMSettings
internal import MAMStore
package import MAMSystem

/// One workspace's accounts, windows and rules.
package final class Vault: Sendable {
    package let rules: RulesInForce
    package let identities = ProcessIdentities()
    package let sessions = SessionIdentities()
    package let clock: Clock
    package let keyring: Keyring
    package let sinks: EventSinks
    package let openFiles = OpenFiles()
    package let windows = Windows()
    package let enrollments: Enrollments
    /// Nil for a daemon that cannot join one.
    package let fleet: Fleet?
    /// Nil if accounts need no sign-in.
    package let signIns: SignIns?
    package let walks: Walks
    package let helpNews = HelpNews()

    /// `stateDirectory`: for the records of files with the right class; nil in tests.
    package init(
        settings: Settings, policies: PolicyBook, keyring: Keyring, stateDirectory: Int32?,
        fleet: Fleet? = nil, signIns: SignIns? = nil, log: Log, clock: Clock = Clock()
    ) throws(Errno) {
        walks = Walks(try stateDirectory.map(ClassRecords.init))
        rules = RulesInForce(settings, policies, asked: FleetSettings(of: fleet?.standing))
        sinks = EventSinks(settings, in: stateDirectory, log)
        self.clock = clock
        self.keyring = keyring
        self.fleet = fleet
        self.signIns = signIns
        enrollments = try Enrollments(
            in: stateDirectory, keyring.accounts, settings, log, at: clock.now)
        for account in keyring.accounts { windows.add(account) }
    }

    var sealer: KeyringSealer { KeyringSealer(keyring: keyring) }

    /// The window of a file with this header; nil for a file that is not encrypted.
    package func window(for header: FileHeader?) -> AccessWindow? {
        guard let sealing = header?.sealing else { return nil }
        guard let account = keyring.account(ofKey: sealing.keyID),
            let own = windows[account]
        else {
            return keyring.wipes.first(ofKey: sealing.keyID) == nil
                ? windows.missing : windows.revoked
        }
        return own.window(sealing.protectionClass)
    }

    /// True if a file with this header could be opened now.
    package func isOpen(_ header: FileHeader) -> Bool { window(for: header)?.allowsOpen ?? true }
}

/// How far each walk is, and what it found.
package struct Walks: Sendable {
    package let claims = ClaimSearches()
    package let caches = CacheClearings()
    /// Nil where nothing is stored.
    package let classes: ClassRecords?

    init(_ classes: ClassRecords?) { self.classes = classes }
}
