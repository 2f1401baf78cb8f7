// Verbs that export and import an account's keys.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

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
            .passfile, .extpass,
            Option("no-passphrase", "protect the keys with this device only"),
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
        examples: [
            "mamctl recovery show ann.keys", "mamctl recovery show --json ann.keys",
        ],
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
