// Verbs for policy.

internal import MAMCommandLine
internal import MAMModel
internal import MAMPolicy
internal import MAMWire

private let answerStatuses: [ExitStatus] = [
    .success, .failure, .usage, .notFound, .refused, .unreachable,
]

private let account = Option(
    "account", value: "UPN", "identity whose policy to check (default: this shell's)")
private let placeAccount = Option(
    "account", value: "UPN", "account that the location belongs to (default: none)")
private let location = Option(
    "location", value: "NAME",
    known: Set(SaveLocation.allCases.map(\.name) + OpenLocation.allCases.map(\.name)).sorted(),
    "such as OneDriveForBusiness, LocalDrive, Other (default: all)")
private let managedScheme = Option(
    "managed-scheme", "a managed program is known to handle the URL's scheme")

let policyVerbs: [Verb] = [
    Verb(
        name: "can", summary: "Show what policy allows, or answer one question",
        usage: [[.one("QUESTION", of: PolicyQuestion.allCases.map(\.rawValue))], ["--account"]],
        options: [account, .workspace],
        examples: ["mamctl can", "mamctl can isContactSyncAllowed --account ann@contoso.com"],
        statuses: answerStatuses, run: can),
    Verb(
        name: "can save", summary: "Check whether policy allows saving data to a location",
        usage: [["--location"], .oneOf("--owner", "--file"), ["--account"]],
        options: [
            location,
            Option("owner", value: "UPN", "owner of the data (default: this shell's identity)"),
            Option("file", value: "FILE", "take the owner of this file"),
            placeAccount, .workspace,
        ],
        examples: [
            "mamctl can save --location OneDriveForBusiness --account ann@contoso.com",
            "mamctl can save --file ~/Work/plan.odt",
        ],
        statuses: answerStatuses + [.damaged], run: canSave),
    Verb(
        name: "can open", summary: "Check whether policy allows opening data from a location",
        usage: [["--location"], ["--receiver"], ["--account"]],
        options: [
            location,
            Option(
                "receiver", value: "UPN",
                "identity that receives the data (default: this shell's)"),
            placeAccount, .workspace,
        ],
        examples: ["mamctl can open --location Camera", "mamctl can open --json"],
        statuses: answerStatuses, run: canOpen),
    Verb(
        name: "can receive", summary: "Check whether policy allows receiving a file",
        usage: [.one("FILE", or: "-"), ["--item"], ["--account"]],
        options: [Option("item", "FILE is a shared item, not a file"), account, .workspace],
        examples: [
            "mamctl can receive report.pdf", "head -c 1024 x | mamctl can receive - --item",
        ],
        statuses: answerStatuses + [.damaged], run: canReceive),
    Verb(
        name: "can copy", summary: "Check whether policy allows copying COUNT characters",
        usage: ["COUNT", ["--to"], ["--account"]],
        options: [
            Option("to", value: "UPN", "identity that pastes (default: any program)"),
            account,
            .workspace,
        ],
        examples: ["mamctl can copy 20", "mamctl can copy 5000 --to ann@contoso.com"],
        statuses: answerStatuses, run: canCopy),
    Verb(
        name: "can paste", summary: "Check whether policy allows pasting COUNT characters",
        usage: ["COUNT", ["--from"], ["--account"]],
        options: [
            Option("from", value: "UPN", "identity that copied (default: unknown)"),
            account,
            .workspace,
        ],
        examples: ["mamctl can paste 20", "mamctl can paste 20 --from ann@contoso.com"],
        statuses: answerStatuses, run: canPaste),
    Verb(
        name: "can url", summary: "Check whether policy allows opening a URL, and in which form",
        usage: ["URL", ["--managed-scheme"], ["--account"]],
        options: [managedScheme, account, .workspace],
        examples: ["mamctl can url https://contoso.com", "mamctl can url tel:5550100"],
        statuses: answerStatuses, run: { try canOpenURL($0, isUniversal: false) }),
    Verb(
        name: "can link", summary: "Check whether policy allows opening a universal link",
        usage: ["URL", ["--managed-scheme"], ["--account"]],
        options: [managedScheme, account, .workspace],
        examples: [
            "mamctl can link https://contoso.com/x", "mamctl can link --json https://a.example",
        ],
        statuses: answerStatuses, run: { try canOpenURL($0, isUniversal: true) }),
    Verb(
        name: "can print", summary: "Check whether policy allows printing",
        usage: [.oneOf("--account", "--all")],
        options: [
            account,
            Option("all", "whether it does for all of your accounts, everywhere"),
            .workspace,
        ],
        examples: ["mamctl can print", "mamctl can print && lp plan.pdf"],
        statuses: answerStatuses, run: canPrint),
    Verb(
        name: "can pick", summary: "Check whether policy allows picking documents",
        usage: [.word("import", "open", "exportToService", "moveToService"), ["--account"]],
        options: [account, .workspace],
        examples: ["mamctl can pick import", "mamctl can pick exportToService"],
        statuses: answerStatuses, run: canPick),
    Verb(
        name: "can share",
        summary: "List those of the programs that policy allows sharing data with",
        usage: [.many("PROGRAM"), ["--account"]], options: [account, .workspace],
        examples: [
            "mamctl can share /usr/bin/thunderbird /opt/work/mail",
            "mamctl can share --json /bin/sh",
        ],
        statuses: answerStatuses, run: canShare),
    Verb(
        name: "can notify", summary: "Check whether policy allows data in notifications",
        usage: [["--account"]],
        options: [account, .workspace],
        examples: ["mamctl can notify", "mamctl can notify --json"],
        statuses: answerStatuses, run: canNotify),
    Verb(
        name: "policy show", summary: "Show the rules in force for an account, and their sources",
        usage: [["ACCOUNT"]], options: [.workspace],
        examples: ["mamctl policy show", "mamctl policy show ann@contoso.com --json"],
        statuses: answerStatuses, run: showPolicy),
    Verb(
        name: "policy check", summary: "Check policy documents and report mistakes by line",
        usage: [.many("FILE")],
        examples: ["mamctl policy check level2.json", "mamctl policy check --json *.json"],
        statuses: [.success, .failure, .usage, .notFound], run: checkPolicy),
    Verb(
        name: "policy import", summary: "Put a policy document into force",
        usage: ["FILE", [.option("--name", "NAME.json")], .oneOf("--dry-run", "--confirm")],
        options: [
            Option("confirm", value: "N", "confirm without a terminal that it closes N accounts"),
            Option("dry-run", "change nothing; show what would change"),
            Option("name", value: "NAME", "name in the policy directory (default: that of FILE)"),
            .workspace,
        ],
        examples: [
            "mamctl policy import level2.json --dry-run",
            "mamctl policy import export.txt --name strict.json",
        ],
        statuses: answerStatuses, run: importPolicy),
    Verb(
        name: "config get", summary: "Print a value of the app configuration; 1 if there is none",
        usage: [
            "KEY", [.option("--type", "bool|number|string")],
            [.option("--query", "any|or|and|min|max")], ["--account"],
        ],
        options: [
            Option(
                "type", value: "TYPE", choices: ["bool", "number", "string"],
                "bool, number or string"),
            Option(
                "query", value: "QUERY", choices: ["any", "or", "and", "min", "max"],
                "which of several values: any; or, and (bool); min, max (others)"),
            account, .workspace,
        ],
        examples: [
            "mamctl config get server", "mamctl config get retries --type number --query max",
        ],
        statuses: answerStatuses, run: getConfiguration),
    Verb(
        name: "config list", summary: "List all values of the app configuration",
        usage: [["--account"]], options: [account, .workspace],
        examples: ["mamctl config list", "mamctl config list --json"],
        statuses: answerStatuses, run: listConfiguration),
    Verb(
        name: "config conflict", summary: "Check whether configurations conflict: 0 yes, 1 no",
        usage: ["KEY", ["--account"]], options: [account, .workspace],
        examples: ["mamctl config conflict server", "mamctl config conflict --json server"],
        statuses: answerStatuses, run: configurationConflicts),
    Verb(
        name: "configure", summary: "Check settings and write them in canonical form",
        usage: ["FILE", ["-o"]],
        options: [
            Option("output", short: "o", value: "OUT", "write to OUT instead of replacing FILE")
        ],
        examples: [
            "mamctl configure settings.json", "mamctl configure Info.plist -o settings.json",
        ],
        statuses: [.success, .failure, .usage, .notFound], run: configure),
    Verb(
        name: "metrics", summary: "Print the daemon's counters as OpenMetrics text",
        options: [.workspace], examples: ["mamctl metrics", "mamctl metrics --workspace work"],
        statuses: answerStatuses, run: showMetrics),
]
