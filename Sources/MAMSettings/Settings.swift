// How one workspace is run.

package import MAMModel
package import MAMPolicy

/// `settings.json`. Every key may be missing; the defaults are below. ``SettingField`` tells how
/// each is written.
package struct Settings: Sendable, Equatable {
    // Files
    /// `MultiIdentity`: what a user creates belongs to nobody until an identity is set. Otherwise
    /// to the account that the user registered.
    package var multiIdentity = false
    /// `MaxFileProtectionLevel`: no file is protected more strictly than this.
    package var maximumClass = ProtectionClass.complete
    /// `DeviceDefaultProtectionLevel`: the class of files whose policy leaves it to the device. C
    /// is the default of iOS.
    package var deviceDefaultClass = ProtectionClass.completeUntilFirstUserAuthentication
    /// `BackupExclusion`: kept for a program that makes backups; nothing here acts on it yet.
    package var backupExclusion = true
    /// `ForeignFiles`: whether files without a header, which are nobody's, are given out.
    package var foreignFiles = ForeignFiles.show

    /// `Containment`: whether files of accounts whose policy restricts where data may go are only
    /// for contained programs.
    package var containment = Containment.policy
    /// `ContainedNetwork`: what contained programs of such accounts may connect to.
    package var containedNetwork = ContainedNetwork.none
    /// `ContainedTerminalBlocked`: they have no terminal where policy restricts copying.
    package var containedTerminalBlocked = false
    /// `ContainedNestedRequired`: they have no display there but one of their own.
    package var containedNestedRequired = false
    /// `DocumentBrowserFileCachePath`: what contained programs' caches are cleared at a lock.
    package var clearedCaches: [SealedHome.Cache] = []

    // Locking
    /// `LockGraceSeconds`: how long keys stay after a lock. Ten, as on iOS with "require passcode
    /// immediately".
    package var lockGraceSeconds = 10
    /// `LockDeadlineSeconds`: a lock that something holds up is finished anyway after so long.
    package var lockDeadlineSeconds = 4
    /// `LockOn.SessionLock`: what a locked screen does to the accounts of its user.
    package var lockOnSession = SessionLock.grace
    /// `LockOn.Sleep`: whether everything is locked before the machine sleeps.
    package var locksOnSleep = true
    /// `LockOn.IdleSeconds`: lock after so long without use; 0 for never.
    package var idleLockSeconds = 0
    /// `KeyDerivation.Passes` of Argon2id, for keybags that are written from now on.
    package var keyDerivationPasses: UInt32 = 3
    /// `KeyDerivation.MemoryMiB`.
    package var keyDerivationMemoryMiB: UInt32 = 256

    // Accounts and enrolment
    /// `MultiManagedIdentities`: more than one managed account may be enrolled.
    package var multiManagedIdentities = false
    /// `AllowedAccounts`: names or object ids of those that may register; nil for anybody.
    package var allowedAccounts: [String]?
    /// `AccountUsers`: the users of root's daemon whose each account name is; nil if that is not
    /// told.
    package var accountUsers: [String: [UserReference]]?
    /// `Groups`: which accounts, by name or object id, the directory groups of policy assignments
    /// have.
    package var groups: [String: [String]] = [:]
    /// `AutoEnrollOnLaunch` as it was written; ``autoEnrollOnLaunch`` counts.
    package var asksToAutoEnroll = false
    /// `MAMPolicyRequired`: without a policy nothing is served.
    package var policyRequired = false
    /// `MAMPolicyWarnAbsent`: without a policy there is a warning.
    package var policyWarnAbsent = false
    /// `EnrollmentRetrySeconds`: how long after a failure enrolment is tried again.
    package var enrollmentRetrySeconds = 86_400
    /// `CheckInSeconds`: how long after a check-in the next one is.
    package var checkInSeconds = 28_800
    /// `WipePollSeconds`: how often an administrator's request to wipe is looked for.
    package var wipePollSeconds = 1800

    // Signing in; ``signIn`` says what it comes to
    /// `ADALAuthority`: the issuer of OpenID Connect that proves whose an account is; nil: nobody
    /// needs to.
    package var authority: Authority?
    /// `aadAuthorityUriOverride`: counts instead.
    package var authorityOverride: Authority?
    /// `ADALClientId`: what the issuer calls these programs.
    package var clientID: String?
    /// `aadClientIdOverride`
    package var clientIDOverride: String?
    /// `ADALRedirectUri`: where a browser returns to.
    package var redirectURI: String?
    /// `aadRedirectUriOverride`
    package var redirectOverride: String?
    /// `ADALRedirectScheme`
    package var redirectScheme: String?
    /// `SignInDeviceCode`: people may sign in on another device, whose browser nobody here sees.
    package var signInDeviceCode = false

    // The world around
    /// `Hooks`: programs that are called.
    package var hooks = Hooks()
    /// `Probes`: programs that tell what only the machine knows.
    package var probes = Probes()
    /// `ManagedSchemes`: URL schemes of managed programs.
    package var managedSchemes: [String] = []
    /// `ManagedPrograms`: absolute paths.
    package var managedPrograms: [String] = []
    /// `TrustedPrograms`: absolute paths without symbolic links, of programs that may read what is
    /// only for contained ones.
    package var trustedPrograms: [String] = []

    // The organisation
    /// `FleetUser`: the user whose service carries documents and reports; empty for nobody.
    package var fleetUser = "mamfleet"

    // Telling
    /// `VerboseLoggingEnabled`: the log may hold personal data.
    package var verboseLogging = false
    /// `ValuesToScrubFromLogging`: keys of the app configuration whose values never stand in a log.
    package var valuesToScrub: [String] = []
    /// `MAMTelemetryDisabled`: not even local counters are kept. Nothing ever leaves the machine.
    package var telemetryDisabled = false
    /// `AuditMiB`: how much the audit may take in the state directory; 0 for none, and then it is
    /// in the journal alone.
    package var auditMiB = 16
    /// `DebugSettingsEnabled`: the flat policy of ``debugPolicy`` and of policy files counts.
    package var debugSettingsEnabled = false
    /// `MAMDebugSettings`: a flat policy for trials.
    package var debugPolicy: [String: JSONValue] = [:]

    /// Keys of the Intune SDK that are checked and kept, and mean nothing here: colours, splash.
    package var stored: [String: JSONValue] = [:]
    /// Unknown keys, kept for when the settings are written again.
    package var unknown: [String: JSONValue] = [:]
    /// What was read past.
    package var warnings: [PolicyWarning] = []

    /// The defaults.
    package init() {}

    /// What is done when a file without a header is opened.
    package enum ForeignFiles: String, Sendable, CaseIterable {
        case show, refuse
    }

    /// `policy`: `required` for accounts that a document from an organisation's tenant covers,
    /// `offered` for others.
    package enum Containment: String, Sendable, CaseIterable {
        case off, offered, policy, required
    }

    package enum ContainedNetwork: Sendable, Equatable {
        case any, none
        /// TCP alone.
        case ports([UInt16])
    }

    /// What is done when a session is locked.
    package enum SessionLock: String, Sendable, CaseIterable {
        case grace, now, never
    }

    /// A user of the machine.
    package enum UserReference: Sendable, Hashable {
        case name(String)
        case uid(UInt32)
    }

    /// Commands: an absolute path and arguments. Nil: nobody is called.
    package struct Hooks: Sendable, Equatable {
        package var wipe: [String]?
        package var enrollment: [String]?
        package var restart: [String]?
        package var addAccount: [String]?
        package var checkIn: [String]?
        /// How long each of them may take.
        package var timeoutSeconds = 60
    }

    /// Commands whose output is an answer. Nil: the answer is unknown.
    package struct Probes: Sendable, Equatable {
        package var osVersion: [String]?
        package var appVersion: [String]?
        package var sdkVersion: [String]?
        package var deviceModel: [String]?
        package var compliance: [String]?
        package var clockStatus: [String]?
        package var threatLevel: [String]?
        /// A threat level that is told once for all, in place of a command.
        package var statedThreatLevel: ThreatLevel?
    }

    /// Whether accounts enrol by themselves when the daemon starts. A policy that is required must
    /// come somehow.
    package var autoEnrollOnLaunch: Bool { asksToAutoEnroll || policyRequired }

    /// Bytes of memory that a key derivation takes.
    package var keyDerivationMemoryByteCount: UInt64 { UInt64(keyDerivationMemoryMiB) << 20 }
}

// MARK: What they add to the organisation's policy

extension Settings {
    /// `MAMDebugSettings`, while `DebugSettingsEnabled` is true.
    package func debugDocument() throws(PolicyError) -> PolicyDocument? {
        guard debugSettingsEnabled, !debugPolicy.isEmpty else { return nil }
        return try LegacyPolicy.document(debugPolicy)
    }

    /// The class of an account's files under its policy.
    package func classRule(_ policy: EffectivePolicy) -> ClassRule {
        policy.classRule(deviceDefault: deviceDefaultClass, ceiling: maximumClass)
    }
}

// MARK: What takes effect while the daemon runs

/// Who may have accounts here, and in which groups they are.
package struct AccountRules: Sendable, Equatable {
    package let allowed: [String]?
    package let users: [String: [Settings.UserReference]]?
    package let groups: [String: [String]]
}

extension Settings {
    package var accountRules: AccountRules {
        AccountRules(allowed: allowedAccounts, users: accountUsers, groups: groups)
    }

    /// The keys whose new values wait for the next start.
    package func keysForNextStart(in new: Settings) -> [String] {
        SettingField.all.filter { field in
            !Self.liveKeys.contains(field.name) && field.show(self) != field.show(new)
        }.map(\.name)
    }

    private static let liveKeys: Set = ["AllowedAccounts", "AccountUsers", "Groups"]
}
