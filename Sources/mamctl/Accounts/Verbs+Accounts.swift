// Verbs for accounts: enrolment, conditions, and exports of their keys.

internal import MAMCommandLine
internal import MAMModel
internal import MAMPolicy
internal import MAMWire

let enrollmentVerbs: [Verb] = [
    Verb(
        name: "account login", summary: "Check in and unlock an account, to end a lock-out",
        usage: [
            ["ACCOUNT"], ["--register"], .oneOf("--passfile", "--extpass"),
            .oneOf("--device-code", "--no-browser"),
        ],
        options: [
            Option("register", "register a new account despite another's similar name"),
            .passfile, .extpass, .deviceCode, .noBrowser, .workspace,
        ],
        examples: [
            "mamctl account login ann@contoso.com",
            "mamctl account login bob@contoso.com --register",
            "mamctl account login --extpass 'pass show work'",
        ],
        statuses: daemonStatuses + [.windowClosed, .refused, .wrongPassphrase], run: loginAccount),
    Verb(
        name: "account refresh",
        summary: "Prove again whose an account is, without asking, where it signed in before",
        usage: [["ACCOUNT"]], options: [.workspace],
        examples: ["mamctl account refresh", "mamctl account refresh ann@contoso.com"],
        statuses: daemonStatuses + [.refused], run: refreshAccount),
    Verb(
        name: "account keys", summary: "Fetch the keys of the issuer that signs accounts in",
        usage: [.oneOf("--into", "--from"), ["--workspace"]],
        options: [
            Option("into", value: "FILE", "only fetch them, into FILE"),
            Option("from", value: "FILE", "only hand over what FILE has"), .workspace,
        ],
        examples: ["mamctl account keys", "sudo mamctl account keys --workspace Work"],
        statuses: daemonStatuses + [.refused], run: fetchKeys),
    Verb(
        name: "account deregister",
        summary: "Remove an account from the list, with or without a wipe",
        usage: ["ACCOUNT", .oneOf(.all("--wipe", ["--confirm"]), "--keep")],
        options: [
            Option("wipe", "destroy its keys and files"),
            Option("keep", "keep its keys, sealed, until it is registered again"),
            .confirm, .workspace,
        ],
        examples: [
            "mamctl account deregister ann@contoso.com --keep",
            "mamctl account deregister ann@contoso.com --wipe --confirm ann@contoso.com </dev/null",
        ],
        statuses: daemonStatuses + [.refused], run: deregisterAccount),
    Verb(
        name: "account check-in", summary: "Read the policies now",
        usage: [["--workspace"]], options: [.workspace],
        examples: ["mamctl account check-in", "mamctl account check-in --json"],
        statuses: daemonStatuses + [.refused], run: checkInNow),
    Verb(
        name: "threat set", summary: "Set the device's threat level, if no probe reports it",
        usage: [.one("LEVEL", of: ThreatLevel.allCases.map(\.rawValue) + ["unknown"])],
        options: [.workspace],
        examples: ["mamctl threat set low", "mamctl threat set unknown"],
        statuses: daemonStatuses + [.refused], run: setThreatLevel),
    Verb(
        name: "compliance check", summary: "Check in and show whether an account may be used",
        usage: [["ACCOUNT"]], options: [.workspace],
        examples: ["mamctl compliance check", "mamctl compliance check ann@contoso.com --json"],
        statuses: daemonStatuses + [.refused], run: checkCompliance),
]

let recoveryVerbs: [Verb] = [
    Verb(
        name: "account export",
        summary: "Write an account's keys to a file, sealed with a passphrase",
        usage: [["ACCOUNT"], "-o", .oneOf("--export-passfile", "--export-extpass")],
        options: [
            Option("output", short: "o", value: "FILE", "file to create"),
            Option("force", "replace FILE if it exists"),
            .passfile, .extpass, .exportPassfile, .exportExtpass, .workspace,
        ],
        examples: [
            "mamctl account export ann@contoso.com -o ann.keys",
            "mamctl account export -o ann.keys --passfile pin --export-passfile strong",
        ],
        statuses: daemonStatuses + [.windowClosed, .refused, .wrongPassphrase], run: exportKeys),
    Verb(
        name: "account import", summary: "Register an account with keys from another machine",
        usage: [
            "FILE", ["--recovery-key"], .oneOf("--passfile", "--extpass", "--no-passphrase"),
            ["--join"],
        ],
        options: Option.ofExport + [
            .passfile, .extpass, .noPassphrase,
            Option("join", "add the keys to the existing account of that name"),
            .workspace,
        ],
        examples: [
            "mamctl account import ann.keys", "mamctl account import ann.keys --join",
            "mamctl account import record.keys --recovery-key org.key --no-passphrase",
        ],
        statuses: daemonStatuses + [.refused, .damaged, .wrongPassphrase], run: importKeys),
    Verb(
        name: "recovery keygen", summary: "Create a recovery key for an organisation",
        usage: ["-o", .oneOf("--passfile", "--extpass", "--no-passphrase")],
        options: [
            Option("output", short: "o", value: "FILE", "file for the private key"),
            .passfile, .extpass,
            Option("no-passphrase", "store the key unsealed: FILE alone opens every record"),
        ],
        examples: [
            "mamctl recovery keygen -o org.key",
            "mamctl recovery keygen -o org.key --no-passphrase",
        ],
        statuses: [.success, .failure, .usage, .notFound, .refused], run: makeRecoveryKey),
    Verb(
        name: "recovery show",
        summary: "Show the account that a key file is for, and what opens it",
        usage: ["FILE"],
        examples: ["mamctl recovery show ann.keys", "mamctl recovery show --json ann.keys"],
        statuses: [.success, .failure, .usage, .notFound, .damaged], run: showExport),
]

extension Option {
    /// What opens an export, or a recovery record.
    static let ofExport = [
        exportPassfile, exportExtpass,
        Option("recovery-key", value: "KEY", "FILE is a recovery record; open it with KEY"),
        Option("key-passfile", value: "FILE", "read the recovery key's passphrase from FILE"),
        Option("key-extpass", value: "CMD", "read it from a command"),
    ]
    fileprivate static let exportPassfile = Option(
        "export-passfile", value: "FILE", "read the export's passphrase from FILE")
    fileprivate static let exportExtpass = Option(
        "export-extpass", value: "CMD", "read it from a command")
}
