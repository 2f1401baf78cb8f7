// Verbs for the identity of a program.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

let runVerbs: [Verb] = [
    Verb(
        name: "run", summary: "Run a command whose new files belong to an identity",
        usage: [
            ["--identity"], .oneOf("--contained", "--trusted"), "--", "COMMAND",
            [.many("ARGUMENT")],
        ],
        options: [
            Option(
                name: "identity", value: "UPN", help: "owner of the files it creates; '' for nobody"
            ),
            .unmanaged,
            Option(
                name: "contained", help: "keep it from leaving anything outside the workspace"),
            Option(
                name: "trusted",
                help: "let it read what is only for contained programs; TrustedPrograms names it"),
            Option(
                name: "account", value: "UPN",
                help: "with --contained: the account that it acts for (default: yours);"
                    + " with --trusted: whose files it reads (default: all)"),
            Option(
                name: "network", value: "any|none|PORTS",
                help: "with --contained: less than policy lets it connect to"),
            Option(
                name: "nested",
                help: "with --contained: a display of its own in a window, on Wayland"),
            Option(
                name: "discard-output",
                help: "with --contained: /dev/null for standard streams that lead outside"),
            .workspace,
        ], takesCommand: true,
        examples: [
            "mamctl run --identity ann@home.example --unmanaged -- cp notes.txt ~/Work/",
            "mamctl run --identity ann@contoso.com bash",
            "mamctl run --contained -- libreoffice plan.odt",
            "mamctl run --trusted -- /usr/bin/restic backup /srv/work",
        ],
        statuses: daemonStatuses + [.notManaged, .refused], run: runCommand)
]

let identityVerbs: [Verb] = [
    Verb(
        name: "identity show", summary: "Show the identity of this shell, and why it holds",
        usage: [["--workspace"]], options: [.workspace],
        examples: [
            "mamctl identity show",
            "mamctl run --identity ann@home.example -- mamctl identity show --json",
        ],
        statuses: daemonStatuses, run: showIdentity),
    Verb(
        name: "identity ui", summary: "Show or set the identity of this login session",
        usage: [.oneOf(.all("--set", .oneOf("--passfile", "--extpass")), "--unset")],
        options: [
            Option(name: "set", value: "UPN", help: "switch to this identity; '' for nobody"),
            Option(name: "unset", help: "clear the identity that was set"),
            .passfile, .extpass, .workspace,
        ],
        examples: ["mamctl identity ui", "mamctl identity ui --set ann@contoso.com"],
        statuses: daemonStatuses + [.refused], run: interfaceIdentity),
    Verb(
        name: "identity blocked", summary: "List your accounts that are blocked, and why",
        usage: [["--workspace"]], options: [.workspace],
        examples: ["mamctl identity blocked", "mamctl identity blocked --json"],
        statuses: daemonStatuses, run: showBlockedAccounts),
    Verb(
        name: "account link", summary: "Set the directory object id of an account",
        usage: ["UPN", "--oid", .oneOf("--passfile", "--extpass")],
        options: [
            Option(name: "oid", value: "ID", help: "the directory object id"),
            .passfile, .extpass, .workspace,
        ],
        examples: [
            "mamctl account link ann@contoso.com --oid 5a3c1f0e-7d2b-4a6e-9c11-0b8d5e2f7a90",
            "mamctl account link ann@contoso.com --oid ID --passfile secret.txt",
        ],
        statuses: daemonStatuses + [.refused, .wrongPassphrase], run: linkAccount),
]
