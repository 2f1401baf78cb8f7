// Verbs for accounts, enrolment and conditions.

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
