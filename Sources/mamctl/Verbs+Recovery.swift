// Verbs that bring an account to another machine, or back.

internal import MAMWire

let recoveryVerbs: [Verb] = [
    Verb(
        name: "account export", summary: "write an account's keys to a file, under a passphrase",
        usage: "[ACCOUNT] -o FILE [--export-passfile FILE | --export-extpass CMD]",
        operands: 0...1,
        options: [
            Option(name: "output", short: "o", value: "FILE", help: "the file to make"),
            Option(name: "force", help: "replace FILE if it exists"),
            .passfile, .extpass, .exportPassfile, .exportExtpass, .workspace,
        ],
        examples: [
            "mamctl account export ann@contoso.com -o ann.keys",
            "mamctl account export -o ann.keys --passfile pin --export-passfile strong",
        ],
        statuses: daemonStatuses + [.windowClosed, .refused, .wrongPassphrase], run: exportKeys),
    Verb(
        name: "account import", summary: "register an account with keys from another machine",
        usage:
            "FILE [--recovery-key KEY]"
            + " [--passfile FILE | --extpass CMD | --no-passphrase] [--join]",
        operands: 1...1,
        options: [
            .exportPassfile, .exportExtpass,
            Option(
                name: "recovery-key", value: "KEY",
                help: "FILE is a recovery record: open it with this key"),
            Option(
                name: "key-passfile", value: "FILE", help: "read the key's passphrase from a file"),
            Option(name: "key-extpass", value: "CMD", help: "read it from a command"),
            .passfile, .extpass,
            Option(name: "no-passphrase", help: "from now on, only this device protects the keys"),
            Option(name: "join", help: "add the keys to an account that has the name already"),
            .workspace,
        ],
        examples: [
            "mamctl account import ann.keys", "mamctl account import ann.keys --join",
            "mamctl account import record.keys --recovery-key org.key --no-passphrase",
        ],
        statuses: daemonStatuses + [.refused, .damaged, .wrongPassphrase], run: importKeys),
    Verb(
        name: "recovery keygen", summary: "make an organisation's recovery key",
        usage: "-o FILE [--passfile FILE | --extpass CMD | --no-passphrase]",
        options: [
            Option(
                name: "output", short: "o", value: "FILE", help: "the file for the private half"),
            .passfile, .extpass,
            Option(name: "no-passphrase", help: "whoever has FILE has the key"),
        ],
        examples: [
            "mamctl recovery keygen -o org.key",
            "mamctl recovery keygen -o org.key --no-passphrase",
        ],
        statuses: [.success, .failure, .usage, .notFound, .refused], run: makeRecoveryKey),
    Verb(
        name: "recovery show", summary: "whose keys a file holds, and what opens it",
        usage: "FILE", operands: 1...1,
        examples: [
            "mamctl recovery show ann.keys", "mamctl recovery show --json ann.keys",
        ],
        statuses: [.success, .failure, .usage, .notFound, .damaged], run: showExport),
]

extension Option {
    fileprivate static let exportPassfile = Option(
        name: "export-passfile", value: "FILE", help: "read the export's passphrase from a file")
    fileprivate static let exportExtpass = Option(
        name: "export-extpass", value: "CMD", help: "read it from a command")
}
