// The table of verbs. Help and the parser use it; docs/man/mamctl.md describes the same.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

let daemonStatuses: [ExitStatus] = [.success, .failure, .usage, .notFound, .unreachable]
let fileStatuses: [ExitStatus] = [
    .success, .failure, .usage, .notFound, .notManaged, .windowClosed, .refused, .damaged,
    .unreachable,
]

/// A section of the help.
struct Chapter: Sendable {
    let title: Message
    let verbs: [Verb]
}

let chapters: [Chapter] = [
    Chapter(
        title: "Workspaces",
        verbs: setupVerbs + workspaceVerbs + moreWorkspaceVerbs + overviewVerbs),
    Chapter(
        title: "Accounts",
        verbs: accountVerbs + slotVerbs + enrollmentVerbs + complianceVerbs + recoveryVerbs),
    Chapter(title: "Files", verbs: fileVerbs + protectionVerbs),
    Chapter(title: "Identities", verbs: runVerbs + identityVerbs),
    Chapter(title: "Contained programs", verbs: containVerbs),
    Chapter(title: "Policy", verbs: policyVerbs),
    Chapter(title: "Organisation", verbs: fleetMachineVerbs + fleetVerbs + fleetViewVerbs),
    Chapter(title: "Programs", verbs: providerVerbs),
    Chapter(title: "Diagnosis", verbs: diagnosticsVerbs),
    Chapter(title: "Other", verbs: helpVerbs),
]

let verbs: [Verb] = chapters.flatMap(\.verbs)

private let workspaceVerbs: [Verb] = [
    Verb(
        name: "init", summary: "Create a workspace over a backing directory",
        usage: ["BACKING", ["--name"], ["--settings"], ["--adopt"], ["--small-blocks"]],
        options: [
            Option("name", value: "NAME", "name of the workspace (default: the directory's)"),
            .settings, .adopt, .smallBlocks,
        ],
        examples: [
            "mamctl init ~/.work", "mamctl init /srv/work --name work --settings strict.json",
        ],
        statuses: [.success, .failure, .usage, .notFound], run: initialise),
    Verb(
        name: "mount", summary: "Start the daemon and wait until it serves",
        usage: [["BACKING", "MOUNTPOINT"], ["--name"], ["-f"], ["-o"]],
        options: [
            Option(
                "name", value: "NAME",
                "mount BACKING as this workspace and record its path in the settings"),
            Option("foreground", short: "f", "stay in the foreground and log to the terminal"),
            Option(
                "options", short: "o", value: "OPTIONS",
                "comma-separated: ro, allow_other, no_allow_other, shut, no_shut"),
        ],
        examples: ["mamctl mount ~/.work ~/Work", "mamctl mount -f -o ro /srv/work /mnt"],
        statuses: [.success, .failure, .usage, .notFound, .damaged], run: mountWorkspace),
    Verb(
        name: "unmount", summary: "Unmount and wait until the daemon has exited",
        usage: [["MOUNTPOINT"]],
        examples: ["mamctl unmount ~/Work", "mamctl unmount --json /mnt"],
        statuses: [.success, .failure, .usage, .notFound], run: unmountWorkspace),
    Verb(
        name: "status", summary: "Show workspaces, mounts, accounts and their windows",
        usage: [["--workspace"]], options: [.workspace],
        examples: ["mamctl status", "mamctl status --json --workspace work"],
        statuses: daemonStatuses + [.damaged], run: showStatus),
    Verb(
        name: "verify", summary: "Check all files and repair what a crash left behind",
        usage: [["PATH"], ["--repair"], ["--unlock", .oneOf("--passfile", "--extpass")]],
        options: [
            Option("repair", "repair what can be repaired and mark what is lost"),
            Option(
                "unlock", value: "ACCOUNT",
                "unlock this account for the check, if the workspace is not mounted"),
            .passfile, .extpass, .workspace,
        ],
        examples: ["mamctl verify ~/Work", "mamctl verify ~/.work --repair"],
        statuses: [
            .success, .failure, .usage, .notFound, .windowClosed, .refused, .damaged, .unreachable,
            .unreadable, .wrongPassphrase,
        ], run: verify),
    Verb(
        name: "watch", summary: "Print events of your accounts as they happen",
        usage: [["--workspace"]], options: [.workspace],
        examples: ["mamctl watch", "mamctl watch --json | while read -r event; do …; done"],
        statuses: daemonStatuses, run: watch),
]

private let accountVerbs: [Verb] = [
    Verb(
        name: "account register", summary: "Register an identity as a managed account",
        usage: [
            "UPN", ["--oid"], .oneOf("--passfile", "--extpass", "--no-passphrase"), ["--new-keys"],
            .oneOf("--recovery-file", "--no-recovery"), .oneOf("--device-code", "--no-browser"),
        ],
        options: [
            Option("oid", value: "ID", "the directory object id"),
            .passfile, .extpass, .noPassphrase, .recoveryFile, .noRecovery,
            Option("new-keys", "create new keys even if sealed files need the old ones"),
            .deviceCode, .noBrowser, .workspace,
        ],
        examples: [
            "mamctl account register ann@contoso.com",
            "mamctl account register ann@contoso.com --passfile secret.txt",
        ],
        statuses: daemonStatuses + [.refused, .wrongPassphrase], run: registerAccount),
    Verb(
        name: "account list", summary: "List the accounts of a workspace",
        options: [.workspace], examples: ["mamctl account list", "mamctl account list --json"],
        statuses: daemonStatuses, run: listAccounts),
    Verb(
        name: "account passphrase", summary: "Change an account's passphrase",
        usage: [
            ["ACCOUNT"], .oneOf("--passfile", "--export", "--forgotten"),
            .oneOf("--new-passfile", "--no-passphrase"),
        ],
        options: [
            .passfile, .extpass,
            Option(
                "export", value: "FILE",
                "if it is forgotten: FILE has the account's keys, from setup or account"
                    + " export"),
            Option("forgotten", "ask the organisation for help; then, to choose a new one"),
            .newPassfile, .newExtpass,
            .noPassphrase,
        ] + Option.ofExport + [.workspace],
        examples: [
            "mamctl account passphrase",
            "mamctl account passphrase --export ann.keys",
            "mamctl account passphrase --forgotten",
            "mamctl account passphrase ann@contoso.com --no-passphrase",
        ],
        statuses: daemonStatuses + [.refused, .wrongPassphrase], run: changePassphrase),
    Verb(
        name: "unlock", summary: "Open the windows of an account",
        usage: [
            ["ACCOUNT"], ["--slot"], .oneOf("--passfile", "--extpass"), ["--wait"],
            ["--no-last-try"],
        ],
        options: [
            .slot, .passfile, .extpass,
            Option("wait", value: "SECONDS", "after wrong passphrases, for another to be allowed"),
            .noLastTry, .workspace,
        ],
        examples: ["mamctl unlock", "mamctl unlock ann@contoso.com --passfile secret.txt"],
        statuses: daemonStatuses + [.windowClosed, .refused, .wrongPassphrase], run: unlock),
    Verb(
        name: "lock", summary: "Close the windows of an account, or of all your accounts",
        usage: [.oneOf("ACCOUNT", "--all"), ["--now"]],
        options: [
            Option("all", "lock all your accounts in every mounted workspace"),
            Option("now", "skip the grace period"), .workspace,
        ],
        examples: ["mamctl lock --all --now", "mamctl lock ann@contoso.com --now"],
        statuses: daemonStatuses + [.refused], run: lock),
    Verb(
        name: "wipe", summary: "Destroy an account: its keys, then its files",
        usage: ["ACCOUNT", ["--confirm"]], options: [.confirm, .workspace],
        examples: [
            "mamctl wipe ann@contoso.com",
            "mamctl wipe ann@contoso.com --confirm ann@contoso.com --json < /dev/null",
        ],
        statuses: daemonStatuses + [.refused], run: wipe),
]

private let fileVerbs: [Verb] = [
    Verb(
        name: "owner", summary: "Show the owner of files, and of new files in directories",
        usage: [.many("FILE"), ["--files-from"], ["-0"]],
        options: [
            Option("set", value: "UPN", "alias for mamctl protect --only-new --owner UPN"),
            Option("unmanaged", "as for mamctl protect"), .override, .filesFrom, .null,
            .workspace,
        ],
        examples: [
            "mamctl owner ~/Work/*",
            "find ~/Work -type f -print0 | mamctl owner -0 --files-from -",
        ],
        statuses: fileStatuses, run: owner),
    Verb(
        name: "info", summary: "Show all details of a file's protection",
        usage: [.many("FILE", or: "-"), ["--files-from"], ["-0"]],
        options: [.filesFrom, .null, .workspace],
        examples: [
            "mamctl info ~/Work/plan.odt", "mamctl info --json ~/.work/plan.odt",
            "mamctl info - < plans.sealed",
        ],
        statuses: [.success, .failure, .usage, .notFound, .damaged, .unreachable], run: info),
    Verb(
        name: "class", summary: "Show or set the protection class of files and directories",
        usage: [["--set"], .many("PATH"), ["--files-from"], ["-0"]],
        options: [
            Option(
                "set", value: "CLASS",
                choices: ["A", "B", "C", "D", "policy", "a", "b", "c", "d"]
                    + ProtectionClass.allCases.map(\.appleName),
                "A, B, C, D, or 'policy' to follow the policy"),
            .filesFrom, .null, .workspace,
        ],
        examples: ["mamctl class ~/Work/plan.odt", "mamctl class --set B ~/Work/incoming"],
        statuses: fileStatuses, run: protectionClass),
    Verb(
        name: "is-encrypted", summary: "Check whether files are encrypted: 0 yes, 1 no",
        usage: [.many("FILE"), ["--files-from"], ["-0"]],
        options: [.filesFrom, .null, .workspace],
        examples: ["mamctl is-encrypted ~/Work/plan.odt", "if mamctl is-encrypted \"$f\"; then …"],
        statuses: [.success, .failure, .usage, .notFound, .damaged, .unreachable],
        run: isEncrypted),
    Verb(
        name: "encrypt", summary: "Encrypt files, in place or to another file",
        usage: [.many("FILE", or: "-"), "--owner", [.option("-o", "OUT|DIR/|-")], ["--force"]],
        options: [
            Option("owner", value: "UPN", "the owner, a registered account"),
            .output(
                "write to OUT or below DIR instead of replacing FILE; '-' is standard output (the"
                    + " default if FILE is '-'), which has no size limit"),
            Option("force", "replace OUT if it exists"), .override, .filesFrom, .null,
            .workspace,
        ],
        examples: [
            "mamctl encrypt plan.odt --owner ann@contoso.com -o plan.sealed",
            "mamctl encrypt *.odt --owner ann@contoso.com",
            "tar c plans | mamctl encrypt - --owner ann@contoso.com > plans.sealed",
        ],
        statuses: fileStatuses, run: encrypt),
    Verb(
        name: "decrypt", summary: "Decrypt protected files",
        usage: [.many("FILE", or: "-"), [.option("-o", "OUT|DIR/|-")], ["--force"]],
        options: [
            .output(
                "write to OUT or below DIR instead of replacing FILE; '-' is standard output: each"
                    + " block is verified before it is written, and damage (7) ends the output"),
            Option("force", "replace OUT if it exists; write binary data to a terminal"),
            .override, .filesFrom, .null, .workspace,
        ],
        examples: [
            "mamctl decrypt plan.sealed -o plan.odt",
            "mamctl decrypt ~/.work/plan.odt -o plan.odt --force --workspace work",
            "mamctl decrypt - < plans.sealed | tar x",
        ],
        statuses: fileStatuses, run: decrypt),
]

private let helpVerbs: [Verb] = [
    Verb(
        name: "completions", summary: "Print a completion script for a shell",
        usage: [.word("bash", "zsh", "fish")],
        examples: [
            "mamctl completions bash > ~/.local/share/bash-completion/completions/mamctl",
            "mamctl completions fish > ~/.config/fish/completions/mamctl.fish",
        ],
        statuses: [.success, .usage], run: printCompletions),
    Verb(
        name: "version", summary: "Print the version",
        examples: ["mamctl version", "mamctl version --json"], statuses: [.success, .usage],
        run: version),
    Verb(
        name: "help", summary: "Print help",
        usage: [[.operand(Operand("VERB | GROUP", most: 2))]],
        examples: ["mamctl help", "mamctl help account register"], statuses: [.success, .usage],
        run: help),
]
