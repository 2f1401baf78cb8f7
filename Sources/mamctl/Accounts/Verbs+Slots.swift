// Verbs for the secrets that open an account.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

let slotVerbs: [Verb] = [
    Verb(
        name: "slot list", summary: "List what opens an account: its key slots",
        usage: [["ACCOUNT"]], options: [.workspace],
        examples: ["mamctl slot list", "mamctl slot list ann@contoso.com --json"],
        statuses: daemonStatuses + [.refused], run: listSlots),
    Verb(
        name: "slot add",
        summary: "Add a passphrase, words or this machine's chip to what opens an account",
        usage: [
            ["ACCOUNT"], ["--type"], .oneOf("--passfile", "--extpass"),
            .oneOf("--new-passfile", "--new-extpass", "--recovery-file", "--no-pin"), ["--pcrs"],
        ],
        options: [
            Option(
                "type", value: "TYPE", choices: Varlink.Workspace.SlotType.names,
                "passphrase (the default); recovery: twelve words that are made and shown; tpm: a"
                    + " PIN for this machine's chip, which counts wrong ones"),
            Option("no-pin", "whoever has the machine opens the account, without a PIN"),
            Option("pcrs", value: "LIST", "only while these of the chip's PCRs are as now: 7"),
            .passfile, .extpass, .newPassfile, .newExtpass, .recoveryFile, .workspace,
        ],
        examples: [
            "mamctl slot add --type recovery",
            "mamctl slot add ann@contoso.com --passfile pin --new-passfile longer",
            "mamctl slot add --type tpm",
        ],
        statuses: slotStatuses, run: addSlot),
    Verb(
        name: "slot test", summary: "Check which key slot a passphrase opens",
        usage: [["ACCOUNT"], ["--slot"], .oneOf("--passfile", "--extpass")],
        options: [.slot, .passfile, .extpass, .workspace],
        examples: ["mamctl slot test", "mamctl slot test ann@contoso.com --passfile words"],
        statuses: slotStatuses, run: testSlot),
    Verb(
        name: "slot remove", summary: "Remove a key slot: its passphrase opens the account no more",
        usage: ["ACCOUNT", "SLOT", .oneOf("--passfile", "--extpass")],
        options: [.passfile, .extpass, .workspace],
        examples: [
            "mamctl slot remove ann@contoso.com 1f0e7d2b",
            "mamctl slot remove ann@contoso.com 1f0e7d2b --passfile pin",
        ],
        statuses: slotStatuses, run: removeSlot),
]

private let slotStatuses = daemonStatuses + [.windowClosed, .refused, .wrongPassphrase]

extension Option {
    static let recoveryFile = Option(
        "recovery-file", value: "FILE",
        "write twelve recovery words, and no keys, to FILE, instead of showing them")
    static let noRecovery = Option("no-recovery", "make no recovery words, and do not ask")
}
