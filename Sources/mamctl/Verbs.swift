// The table of verbs: all that `mamctl` can do. Help, parsing and docs/man/mamctl.md follow it.

internal import MAMModel
internal import MAMWire

let daemonStatuses: [ExitStatus] = [.success, .failure, .usage, .notFound, .unreachable]

/// Verbs that belong together, as help shows them.
struct Chapter: Sendable {
    let title: String
    let verbs: [Verb]
}

let chapters: [Chapter] = [
    Chapter(title: "Workspaces", verbs: workspaceVerbs + moreWorkspaceVerbs + overviewVerbs),
    Chapter(title: "Accounts", verbs: accountVerbs + enrollmentVerbs + recoveryVerbs),
    Chapter(title: "Files", verbs: fileVerbs + protectionVerbs),
    Chapter(title: "Identities", verbs: runVerbs + identityVerbs),
    Chapter(title: "Policy", verbs: policyVerbs),
    Chapter(title: "Programs", verbs: providerVerbs),
    Chapter(title: "Diagnosis", verbs: diagnosticsVerbs),
    Chapter(title: "Others", verbs: helpVerbs),
]

let verbs: [Verb] = chapters.flatMap(\.verbs)

private let workspaceVerbs: [Verb] = [
    Verb(
        name: "init", summary: "create a workspace over a backing directory",
        usage: "BACKING [--name NAME] [--settings FILE] [--adopt] [--small-blocks]",
        operands: 1...1,
        options: [
            Option(name: "name", value: "NAME", help: "the workspace's name; else the directory's"),
            Option(name: "settings", value: "FILE", help: "settings to copy; else the defaults"),
            Option(name: "adopt", help: "take a directory with files in it: they belong to nobody"),
            Option(
                name: "small-blocks",
                help: "take a file system on which a power cut may destroy files"),
        ],
        examples: [
            "mamctl init ~/.work", "mamctl init /srv/work --name work --settings strict.json",
        ],
        statuses: [.success, .failure, .usage, .notFound], run: initialise),
    Verb(
        name: "mount", summary: "start the daemon and wait until it serves",
        usage: "BACKING MOUNTPOINT [--name NAME] [-f] [-o OPTIONS]", operands: 2...2,
        options: [
            Option(
                name: "name", value: "NAME",
                help: "BACKING is this workspace, wherever it is now: note that in its settings"),
            Option(
                name: "foreground", short: "f", help: "stay in the foreground, log to the terminal"),
            Option(
                name: "options", short: "o", value: "OPTIONS",
                help: "ro, allow_other, no_allow_other; with commas"),
        ],
        examples: ["mamctl mount ~/.work ~/Work", "mamctl mount -f -o ro /srv/work /mnt"],
        statuses: [.success, .failure, .usage, .notFound, .damaged], run: mountWorkspace),
    Verb(
        name: "unmount", summary: "unmount, and wait until the daemon has ended",
        usage: "MOUNTPOINT", operands: 1...1,
        examples: ["mamctl unmount ~/Work", "mamctl unmount --json /mnt"],
        statuses: [.success, .failure, .usage, .notFound], run: unmountWorkspace),
    Verb(
        name: "status", summary: "workspaces, mounts, accounts and their windows",
        usage: "[--workspace NAME]", options: [.workspace],
        examples: ["mamctl status", "mamctl status --json --workspace work"],
        statuses: daemonStatuses, run: showStatus),
    Verb(
        name: "verify", summary: "check all files, and mend what a crash left",
        usage: "[PATH] [--repair] [--unlock ACCOUNT [--passfile FILE | --extpass CMD]]",
        operands: 0...1,
        options: [
            Option(
                name: "repair", help: "mend what can be mended, mark what is lost"),
            Option(
                name: "unlock", value: "ACCOUNT",
                help: "of a workspace that is not mounted: open this account for the check"),
            .passfile, .extpass, .workspace,
        ],
        examples: ["mamctl verify ~/Work", "mamctl verify ~/.work --repair"],
        statuses: [
            .success, .failure, .usage, .notFound, .windowClosed, .refused, .damaged, .unreachable,
            .unreadable, .wrongPassphrase,
        ], run: verify),
    Verb(
        name: "watch", summary: "print what happens to your accounts, as it happens",
        usage: "[--workspace NAME]", options: [.workspace],
        examples: ["mamctl watch", "mamctl watch --json | while read -r event; do …; done"],
        statuses: daemonStatuses, run: watch),
]

private let accountVerbs: [Verb] = [
    Verb(
        name: "account register", summary: "make an identity a managed account",
        usage: "UPN [--oid ID] [--passfile FILE | --extpass CMD | --no-passphrase] [--new-keys]",
        operands: 1...1,
        options: [
            Option(name: "oid", value: "ID", help: "the directory object id"),
            .passfile, .extpass,
            Option(name: "no-passphrase", help: "only this device protects the keys"),
            Option(
                name: "new-keys",
                help: "although sealed files carry the name whose keys are not here"),
            .workspace,
        ],
        examples: [
            "mamctl account register ann@contoso.com",
            "mamctl account register ann@contoso.com --passfile secret.txt",
        ],
        statuses: daemonStatuses + [.refused, .wrongPassphrase], run: registerAccount),
    Verb(
        name: "account list", summary: "the accounts of a workspace", usage: "",
        options: [.workspace], examples: ["mamctl account list", "mamctl account list --json"],
        statuses: daemonStatuses, run: listAccounts),
    Verb(
        name: "account passphrase", summary: "change an account's passphrase",
        usage: "[ACCOUNT] [--passfile FILE] [--new-passfile FILE | --no-passphrase]",
        operands: 0...1,
        options: [
            .passfile, .extpass,
            Option(name: "new-passfile", value: "FILE", help: "read the new one from a file"),
            Option(name: "new-extpass", value: "CMD", help: "read the new one from a command"),
            Option(name: "no-passphrase", help: "from now on, only this device protects the keys"),
            .workspace,
        ],
        examples: [
            "mamctl account passphrase",
            "mamctl account passphrase ann@contoso.com --no-passphrase",
        ],
        statuses: daemonStatuses + [.refused, .wrongPassphrase], run: changePassphrase),
    Verb(
        name: "unlock", summary: "open the windows of an account",
        usage: "[ACCOUNT] [--passfile FILE | --extpass CMD]", operands: 0...1,
        options: [.passfile, .extpass, .workspace],
        examples: ["mamctl unlock", "mamctl unlock ann@contoso.com --passfile secret.txt"],
        statuses: daemonStatuses + [.windowClosed, .refused, .wrongPassphrase], run: unlock),
    Verb(
        name: "lock", summary: "close the windows of one account, or of all of yours",
        usage: "[ACCOUNT | --all] [--now]", operands: 0...1,
        options: [
            Option(name: "all", help: "all of yours in every workspace that runs"),
            Option(name: "now", help: "without the grace period"), .workspace,
        ],
        examples: ["mamctl lock --all --now", "mamctl lock ann@contoso.com --now"],
        statuses: daemonStatuses + [.refused], run: lock),
    Verb(
        name: "wipe", summary: "destroy an account: its keys, then its files",
        usage: "ACCOUNT [--confirm ACCOUNT]", operands: 1...1, options: [.confirm, .workspace],
        examples: [
            "mamctl wipe ann@contoso.com",
            "mamctl wipe ann@contoso.com --confirm ann@contoso.com --json < /dev/null",
        ],
        statuses: daemonStatuses + [.refused], run: wipe),
]

private let fileVerbs: [Verb] = [
    Verb(
        name: "owner", summary: "print the owners of files, and of directories' new files",
        usage: "FILE… [--files-from LIST] [-0]", operands: 1...Int.max,
        options: [
            Option(name: "set", value: "UPN", help: "alias of mamctl protect --only-new --owner"),
            Option(name: "unmanaged", help: "as with mamctl protect"), .filesFrom, .null,
            .workspace,
        ],
        examples: [
            "mamctl owner ~/Work/*",
            "find ~/Work -type f -print0 | mamctl owner -0 --files-from -",
        ],
        statuses: [
            .success, .failure, .usage, .notFound, .notManaged, .windowClosed, .refused, .damaged,
            .unreachable,
        ], run: owner),
    Verb(
        name: "info", summary: "all that is known of a file's protection",
        usage: "FILE…|- [--files-from LIST] [-0]", operands: 1...Int.max,
        options: [.filesFrom, .null, .workspace],
        examples: [
            "mamctl info ~/Work/plan.odt", "mamctl info --json ~/.work/plan.odt",
            "mamctl info - < plans.sealed",
        ],
        statuses: [.success, .failure, .usage, .notFound, .damaged, .unreachable], run: info),
    Verb(
        name: "class", summary: "print or set the protection classes of files and directories",
        usage: "[--set CLASS] PATH… [--files-from LIST] [-0]", operands: 1...Int.max,
        options: [
            Option(
                name: "set", value: "CLASS",
                choices: ["A", "B", "C", "D", "policy", "a", "b", "c", "d"]
                    + ProtectionClass.allCases.map(\.appleName),
                help: "A, B, C, D, or 'policy' for what policy says"),
            .filesFrom, .null, .workspace,
        ],
        examples: ["mamctl class ~/Work/plan.odt", "mamctl class --set B ~/Work/incoming"],
        statuses: [
            .success, .failure, .usage, .notFound, .notManaged, .windowClosed, .refused, .damaged,
            .unreachable,
        ], run: protectionClass),
    Verb(
        name: "is-encrypted", summary: "tell whether files are encrypted: 0 yes, 1 no",
        usage: "FILE… [--files-from LIST] [-0]", operands: 1...Int.max,
        options: [.filesFrom, .null, .workspace],
        examples: ["mamctl is-encrypted ~/Work/plan.odt", "if mamctl is-encrypted \"$f\"; then …"],
        statuses: [.success, .failure, .usage, .notFound, .damaged, .unreachable],
        run: isEncrypted),
    Verb(
        name: "encrypt", summary: "make protected files, in place or elsewhere",
        usage: "FILE…|- --owner UPN [-o OUT|DIR/|-] [--force]", operands: 1...Int.max,
        options: [
            Option(name: "owner", value: "UPN", help: "the owner: a registered account"),
            .output(
                """
                write here, or below a directory; else FILE is replaced. '-' is standard output, as it is \
                for standard input without -o: what is written there may be of any size
                """),
            Option(name: "force", help: "replace OUT if it exists"), .filesFrom, .null, .workspace,
        ],
        examples: [
            "mamctl encrypt plan.odt --owner ann@contoso.com -o plan.sealed",
            "mamctl encrypt *.odt --owner ann@contoso.com",
            "tar c plans | mamctl encrypt - --owner ann@contoso.com > plans.sealed",
        ],
        statuses: [
            .success, .failure, .usage, .notFound, .notManaged, .windowClosed, .refused, .damaged,
            .unreachable,
        ], run: encrypt),
    Verb(
        name: "decrypt", summary: "write the plain content of protected files",
        usage: "FILE…|- [-o OUT|DIR/|-] [--force]", operands: 1...Int.max,
        options: [
            .output(
                """
                write here, or below a directory; else FILE itself becomes plain. '-' is standard output: each block \
                is verified before it comes out, and at damage (7) the rest is missing
                """),
            Option(
                name: "force",
                help: "replace OUT if it exists; show what is no text on a terminal"),
            .filesFrom, .null, .workspace,
        ],
        examples: [
            "mamctl decrypt plan.sealed -o plan.odt",
            "mamctl decrypt ~/.work/plan.odt -o plan.odt --force --workspace work",
            "mamctl decrypt - < plans.sealed | tar x",
        ],
        statuses: [
            .success, .failure, .usage, .notFound, .notManaged, .windowClosed, .refused, .damaged,
            .unreachable,
        ], run: decrypt),
]

private let runVerbs: [Verb] = [
    Verb(
        name: "run", summary: "run a command whose files belong to an identity",
        usage: "--identity UPN [--unmanaged] -- COMMAND [ARGUMENT…]", operands: 1...Int.max,
        options: [
            Option(
                name: "identity", value: "UPN", help: "the owner of what it creates; '' is nobody"),
            .unmanaged, .workspace,
        ], takesCommand: true,
        examples: [
            "mamctl run --identity ann@home.example --unmanaged -- cp notes.txt ~/Work/",
            "mamctl run --identity ann@contoso.com bash",
        ],
        statuses: daemonStatuses + [.notManaged, .refused], run: runCommand)
]

private let helpVerbs: [Verb] = [
    Verb(
        name: "completions", summary: "print a script that has a shell complete mamctl's words",
        usage: "bash|zsh|fish", operands: 1...1, choices: ["bash", "zsh", "fish"],
        examples: [
            "mamctl completions bash > ~/.local/share/bash-completion/completions/mamctl",
            "mamctl completions fish > ~/.config/fish/completions/mamctl.fish",
        ],
        statuses: [.success, .usage], run: printCompletions),
    Verb(
        name: "version", summary: "print the version", usage: "",
        examples: ["mamctl version", "mamctl version --json"], statuses: [.success, .usage],
        run: version),
    Verb(
        name: "help", summary: "print help", usage: "[VERB | GROUP]", operands: 0...2,
        examples: ["mamctl help", "mamctl help account register"], statuses: [.success, .usage],
        run: help),
]
