// The keys of settings.json: one table for reading and writing them.

internal import MAMModel
internal import MAMPolicy

/// One key.
struct SettingField: Sendable {
    /// The object that holds the key; nil for the whole.
    let group: String?
    let key: String
    let read: @Sendable (JSONValue, String, inout Settings) throws(PolicyError) -> Void
    let show: @Sendable (Settings) -> JSONValue
    /// As messages have it.
    var name: String { group.map { "\($0).\(key)" } ?? key }
    /// A wrong value gives way to the default, which protects no less. That of any other key is
    /// refused: nobody knows how strict it was meant to be.
    private(set) var isHarmless = false

    init<Value>(
        _ key: String, in group: String? = nil,
        _ path: any WritableKeyPath<Settings, Value> & Sendable,
        _ shape: Shape<Value>
    ) {
        self.group = group
        self.key = key
        read = { value, name, settings throws(PolicyError) in
            settings[keyPath: path] = try shape.decode(value, key: name, &settings.warnings)
        }
        show = { shape.write($0[keyPath: path]) }
    }

    /// A key of the SDK's that is only kept.
    private init<Value>(stored key: String, _ shape: Shape<Value>) {
        group = nil
        self.key = key
        read = { value, name, settings throws(PolicyError) in
            _ = try shape.decode(value, key: name, &settings.warnings)
            settings.stored[name] = value
        }
        show = { $0.stored[key] ?? .null }
        isHarmless = true
    }

    private var harmless: SettingField {
        var field = self
        field.isHarmless = true
        return field
    }

    static let all: [SettingField] = [
        files, locking, accounts, signIn, hooks, probes, telling, kept,
    ].flatMap(\.self)

    static func keys(in group: String?) -> [String] {
        all.filter { $0.group == group }.map(\.key) + (group == nil ? groups : [])
    }

    static let groups: [String] = ["Hooks", "KeyDerivation", "LockOn", "Probes"]

    private static let files: [SettingField] = [
        SettingField("MultiIdentity", \.multiIdentity, .truth),
        SettingField("MaxFileProtectionLevel", \.maximumClass, appleClass),
        SettingField("DeviceDefaultProtectionLevel", \.deviceDefaultClass, appleClass),
        SettingField("ForeignFiles", \.foreignFiles, .one(named: { $0.rawValue })),
        SettingField("Containment", \.containment, .one(named: { $0.rawValue })),
        SettingField("ContainedNetwork", \.containedNetwork, containedNetwork),
        SettingField("ContainedTerminalBlocked", \.containedTerminalBlocked, .truth),
        SettingField("ContainedNestedRequired", \.containedNestedRequired, .truth),
        // On iOS it is a directory of the app's, which is kept.
        SettingField("DocumentBrowserFileCachePath", \.clearedCaches, caches).harmless,
        SettingField("BackupExclusion", \.backupExclusion, .truth).harmless,
    ]

    private static let locking: [SettingField] = [
        // An hour: past that a grace period is no lock.
        SettingField("LockGraceSeconds", \.lockGraceSeconds, .whole(0...3600)),
        // Past a minute nobody who locked waits for the answer.
        SettingField("LockDeadlineSeconds", \.lockDeadlineSeconds, .whole(1...60)),
        SettingField(
            "SessionLock", in: "LockOn", \.lockOnSession, .one(named: { $0.rawValue })),
        SettingField("Sleep", in: "LockOn", \.locksOnSleep, nowOrNever),
        SettingField("IdleSeconds", in: "LockOn", \.idleLockSeconds, .whole(0...86_400)),
        // Past 100 passes and 4 GiB a typing error is more likely than a wish.
        SettingField("Passes", in: "KeyDerivation", \.keyDerivationPasses, .whole(1...100)),
        SettingField(
            "MemoryMiB", in: "KeyDerivation", \.keyDerivationMemoryMiB, .whole(8...4096)),
    ]

    private static let accounts: [SettingField] = [
        SettingField("MultiManagedIdentities", \.multiManagedIdentities, .truth),
        SettingField("AllowedAccounts", \.allowedAccounts, Shape<[String]>.texts.optional),
        SettingField("AccountUsers", \.accountUsers, userReferences.optional),
        SettingField("Groups", \.groups, .members),
        SettingField("AutoEnrollOnLaunch", \.asksToAutoEnroll, .truth).harmless,
        SettingField("MAMPolicyRequired", \.policyRequired, .truth),
        SettingField("MAMPolicyWarnAbsent", \.policyWarnAbsent, .truth).harmless,
        SettingField("EnrollmentRetrySeconds", \.enrollmentRetrySeconds, seconds).harmless,
        SettingField("CheckInSeconds", \.checkInSeconds, seconds),
        SettingField("WipePollSeconds", \.wipePollSeconds, seconds).harmless,
    ]

    private static let signIn: [SettingField] = [
        SettingField("ADALAuthority", \.authority, Shape.authority.optional),
        SettingField("aadAuthorityUriOverride", \.authorityOverride, Shape.authority.optional),
        // Without an authority they mean nothing; with one, a client's id is required.
        SettingField("ADALClientId", \.clientID, Shape.clientID.optional).harmless,
        SettingField("aadClientIdOverride", \.clientIDOverride, Shape.clientID.optional).harmless,
        SettingField("ADALRedirectUri", \.redirectURI, Shape.loopback.optional).harmless,
        SettingField("aadRedirectUriOverride", \.redirectOverride, Shape.loopback.optional)
            .harmless,
        SettingField("ADALRedirectScheme", \.redirectScheme, Shape.loopbackScheme.optional)
            .harmless,
        SettingField("SignInDeviceCode", \.signInDeviceCode, .truth),
    ]

    private static let hooks: [SettingField] = [
        SettingField("Wipe", in: "Hooks", \.hooks.wipe, command),
        SettingField("Enrollment", in: "Hooks", \.hooks.enrollment, command).harmless,
        SettingField("Restart", in: "Hooks", \.hooks.restart, command).harmless,
        SettingField("AddAccount", in: "Hooks", \.hooks.addAccount, command).harmless,
        SettingField("CheckIn", in: "Hooks", \.hooks.checkIn, command),
        SettingField("TimeoutSeconds", in: "Hooks", \.hooks.timeoutSeconds, .whole(1...3600))
            .harmless,
    ]

    private static let probes: [SettingField] = [
        SettingField("OsVersion", in: "Probes", \.probes.osVersion, command),
        SettingField("AppVersion", in: "Probes", \.probes.appVersion, command),
        SettingField("SdkVersion", in: "Probes", \.probes.sdkVersion, command),
        SettingField("DeviceModel", in: "Probes", \.probes.deviceModel, command),
        SettingField("Compliance", in: "Probes", \.probes.compliance, command),
        SettingField("ClockStatus", in: "Probes", \.probes.clockStatus, command),
        SettingField("ThreatLevel", in: "Probes", \.probes.threat, threat),
    ]

    private static let telling: [SettingField] = [
        SettingField("ManagedSchemes", \.managedSchemes, .texts).harmless,
        SettingField("ManagedPrograms", \.managedPrograms, .absolutePaths).harmless,
        SettingField("TrustedPrograms", \.trustedPrograms, .absolutePaths).harmless,
        SettingField("VerboseLoggingEnabled", \.verboseLogging, .truth).harmless,
        SettingField("ValuesToScrubFromLogging", \.valuesToScrub, .texts),
        SettingField("MAMTelemetryDisabled", \.telemetryDisabled, .truth).harmless,
        // A GiB: past that nobody reads it over a socket.
        SettingField("AuditMiB", \.auditMiB, .whole(0...1024)).harmless,
        SettingField("FleetUser", \.fleetUser, userName),
        SettingField("DebugSettingsEnabled", \.debugSettingsEnabled, .truth),
        SettingField("MAMDebugSettings", \.debugPolicy, .object),
    ]

    private static let kept: [SettingField] = KeptSetting.all.map {
        switch $0.kind {
        case .truth: SettingField(stored: $0.name, Shape<Bool>.truth)
        case .text: SettingField(stored: $0.name, Shape<String>.text)
        case .colour: SettingField(stored: $0.name, Shape<String>.colour)
        case .texts: SettingField(stored: $0.name, Shape<[String]>.texts)
        case .seconds: SettingField(stored: $0.name, Shape<Double>.number(0...60))
        case .truthOrText: SettingField(stored: $0.name, truthOrText)
        }
    }

    /// A switch in some of the SDK's guides, the extension's name in others.
    private static let truthOrText = Shape<JSONValue>(
        "true or false, or a text",
        read: { $0.bool != nil || $0.text != nil ? .some($0) : .none }, write: { $0 })

    /// Apple's names only: `MaxFileProtectionLevel` is spelled as in an app's `IntuneMAMSettings`.
    private static let appleClass = Shape<ProtectionClass>.one(named: { $0.appleName })

    /// From a second, for trials, to a year.
    private static let seconds = Shape<Int>.whole(1...31_536_000)

    private static let userReferences = Shape<[String: [Settings.UserReference]]>(
        "an object: for each account a user's name, a uid, or a list of these",
        read: { $0.members(userReferences(in:)) },
        write: { .object($0.mapValues { .array($0.map(\.json)) }) })

    private static func userReferences(in value: JSONValue) -> [Settings.UserReference]? {
        JSONValue.array(value.array ?? [value]).elements(Settings.UserReference.init)
    }

    /// A number is refused: it would be looked for as a name.
    private static let userName = Shape<String>(
        "a user's name",
        read: { value in
            value.text.flatMap { name in
                let isNumber = !name.isEmpty && name.utf8.allSatisfy { (48...57).contains($0) }
                return isNumber || name.utf8.contains(0) ? nil : name
            }
        }, write: { .string($0) })

    private static let command = Shape<[String]>.command.optional

    private static let nowOrNever = Shape<Bool>(
        "one of now, never",
        read: { ["now": true, "never": false][$0.text ?? ""] },
        write: { $0 ? "now" : "never" })

    private static let containedNetwork = Shape<Settings.ContainedNetwork>(
        "any, none, or a list of TCP ports",
        read: { value in
            if let text = value.text {
                let words: [String: Settings.ContainedNetwork] = [
                    "any": .any, "none": Settings.ContainedNetwork.none,
                ]
                return words[text]
            }
            let ports = value.elements { $0.integer.flatMap { UInt16(exactly: $0) } }
            guard let ports, !ports.isEmpty, !ports.contains(0) else { return nil }
            return .ports(ports)
        },
        write: { network in
            switch network {
            case .any: "any"
            case .none: "none"
            case .ports(let ports): .array(ports.map { .integer(Int64($0)) })
            }
        })

    /// Both caches of the sealed homes, or one of them.
    private static let caches = Shape<[SealedHome.Cache]>(
        "one of \(cachePaths.map(\.path).joined(separator: ", "))",
        read: { value in cachePaths.first { $0.path == value.text }?.caches },
        write: { caches in
            cachePaths.first { $0.caches == caches }.map { .string($0.path) } ?? .null
        })

    private static let cachePaths: [(path: String, caches: [SealedHome.Cache])] =
        [("contained", SealedHome.Cache.allCases)]
        + SealedHome.Cache.allCases.map { ("contained/\($0.rawValue)", [$0]) }

    private static let threat = Shape<Settings.Probes.Threat>(
        "a command, or one of \(ThreatLevel.allCases.map(\.rawValue).joined(separator: ", "))",
        reading: { value, key, warnings in
            if let level = value.text.flatMap(ThreatLevel.init(rawValue:)) {
                return Settings.Probes.Threat(stated: level)
            }
            return Shape<[String]>.command.read(value, key, &warnings).map {
                Settings.Probes.Threat(command: $0)
            }
        },
        write: { threat in
            threat.stated.map { .string($0.rawValue) }
                ?? command.write(threat.command)
        })
}

extension Settings.UserReference {
    /// Nil for what is neither. A number between quotes is neither: it would be looked for as a
    /// name.
    fileprivate init?(_ value: JSONValue) {
        if let uid = value.integer.flatMap(UInt32.init(exactly:)), uid != .max {
            self = .uid(uid)
        } else if let name = value.text, !name.utf8.contains(0),
            !name.utf8.allSatisfy({ (48...57).contains($0) })
        {
            self = .name(name)
        } else {
            return nil
        }
    }

    fileprivate var json: JSONValue {
        switch self {
        case .name(let name): .string(name)
        case .uid(let uid): JSONValue(uid)
        }
    }
}

extension Settings.Probes {
    /// One key for two ways to tell the threat level.
    struct Threat: Sendable {
        var command: [String]?
        var stated: ThreatLevel?
    }

    var threat: Threat {
        get { Threat(command: threatLevel, stated: statedThreatLevel) }
        set { (threatLevel, statedThreatLevel) = (newValue.command, newValue.stated) }
    }
}
