// The verbs for asking what policy says.

internal import MAMPolicy
internal import MAMWire

private let answerStatuses: [ExitStatus] = [
    .success, .failure, .usage, .notFound, .refused, .unreachable,
]

private let account = Option(
    name: "account", value: "UPN", help: "whose policy is asked; else that of this shell's identity"
)
private let placeAccount = Option(
    name: "account", value: "UPN", help: "the account that the location belongs to; else nobody's")
private let location = Option(
    name: "location", value: "NAME",
    known: Set(SaveLocation.allCases.map(\.name) + OpenLocation.allCases.map(\.name)).sorted(),
    help: "such as OneDriveForBusiness, LocalDrive, Other; else all")

let policyVerbs: [Verb] = [
    Verb(
        name: "can", summary: "what policy allows: all of it, or the answer to one question",
        usage: "[QUESTION] [--account UPN]", operands: 0...1, options: [account, .workspace],
        choices: PolicyQuestion.allCases.map(\.rawValue),
        examples: ["mamctl can", "mamctl can isContactSyncAllowed --account ann@contoso.com"],
        statuses: answerStatuses, run: can),
    Verb(
        name: "can save", summary: "may data be saved at a location?",
        usage: "[--location NAME] [--owner UPN | --file FILE] [--account UPN]",
        options: [
            location,
            Option(name: "owner", value: "UPN", help: "whose data it is; else this shell's"),
            Option(name: "file", value: "FILE", help: "the data is this file's"),
            placeAccount, .workspace,
        ],
        examples: [
            "mamctl can save --location OneDriveForBusiness --account ann@contoso.com",
            "mamctl can save --file ~/Work/plan.odt",
        ],
        statuses: answerStatuses + [.damaged], run: canSave),
    Verb(
        name: "can open", summary: "may data come in from a location?",
        usage: "[--location NAME] [--receiver UPN] [--account UPN]",
        options: [
            location,
            Option(
                name: "receiver", value: "UPN", help: "who takes it in; else this shell's identity"),
            placeAccount, .workspace,
        ],
        examples: ["mamctl can open --location Camera", "mamctl can open --json"],
        statuses: answerStatuses, run: canOpen),
    Verb(
        name: "can receive", summary: "may a file come in?",
        usage: "FILE|- [--item] [--account UPN]", operands: 1...1,
        options: [
            Option(name: "item", help: "it is a shared item, not a file"), account, .workspace,
        ],
        examples: [
            "mamctl can receive report.pdf", "head -c 1024 x | mamctl can receive - --item",
        ],
        statuses: answerStatuses + [.damaged], run: canReceive),
    Verb(
        name: "can copy", summary: "may so many characters be copied?",
        usage: "COUNT [--to UPN] [--account UPN]", operands: 1...1,
        options: [
            Option(name: "to", value: "UPN", help: "who pastes; else any program"), account,
            .workspace,
        ],
        examples: ["mamctl can copy 20", "mamctl can copy 5000 --to ann@contoso.com"],
        statuses: answerStatuses, run: canCopy),
    Verb(
        name: "can paste", summary: "may so many characters be pasted?",
        usage: "COUNT [--from UPN] [--account UPN]", operands: 1...1,
        options: [
            Option(name: "from", value: "UPN", help: "who copied; else nobody knows"), account,
            .workspace,
        ],
        examples: ["mamctl can paste 20", "mamctl can paste 20 --from ann@contoso.com"],
        statuses: answerStatuses, run: canPaste),
    Verb(
        name: "can url", summary: "may a URL be opened, and which one instead?",
        usage: "URL [--managed-scheme] [--account UPN]", operands: 1...1,
        options: [
            Option(name: "managed-scheme", help: "a managed program is known to answer to it"),
            account, .workspace,
        ],
        examples: ["mamctl can url https://contoso.com", "mamctl can url tel:5550100"],
        statuses: answerStatuses, run: canOpenURL),
    Verb(
        name: "can link", summary: "may a universal link be opened?",
        usage: "URL [--managed-scheme] [--account UPN]", operands: 1...1,
        options: [
            Option(name: "managed-scheme", help: "a managed program is known to answer to it"),
            account, .workspace,
        ],
        examples: [
            "mamctl can link https://contoso.com/x", "mamctl can link --json https://a.example",
        ],
        statuses: answerStatuses, run: canOpenLink),
    Verb(
        name: "can print", summary: "may be printed?", usage: "[--account UPN]",
        options: [account, .workspace],
        examples: ["mamctl can print", "mamctl can print && lp plan.pdf"],
        statuses: answerStatuses, run: canPrint),
    Verb(
        name: "can pick", summary: "may documents be picked?",
        usage: "import|open|exportToService|moveToService [--account UPN]", operands: 1...1,
        options: [account, .workspace],
        choices: ["import", "open", "exportToService", "moveToService"],
        examples: ["mamctl can pick import", "mamctl can pick exportToService"],
        statuses: answerStatuses, run: canPick),
    Verb(
        name: "can share", summary: "which of these programs may be offered data?",
        usage: "PROGRAM… [--account UPN]", operands: 1...Int.max, options: [account, .workspace],
        examples: [
            "mamctl can share /usr/bin/thunderbird /opt/work/mail",
            "mamctl can share --json /bin/sh",
        ],
        statuses: answerStatuses, run: canShare),
    Verb(
        name: "can notify", summary: "may notifications show data?", usage: "[--account UPN]",
        options: [account, .workspace],
        examples: ["mamctl can notify", "mamctl can notify --json"],
        statuses: answerStatuses, run: canNotify),
    Verb(
        name: "policy show", summary: "the rules in force for an account, and where they are from",
        usage: "[ACCOUNT]", operands: 0...1, options: [.workspace],
        examples: ["mamctl policy show", "mamctl policy show ann@contoso.com --json"],
        statuses: answerStatuses, run: showPolicy),
    Verb(
        name: "policy check", summary: "say what is wrong with policy documents, line by line",
        usage: "FILE…", operands: 1...Int.max,
        examples: ["mamctl policy check level2.json", "mamctl policy check --json *.json"],
        statuses: [.success, .failure, .usage, .notFound], run: checkPolicy),
    Verb(
        name: "policy import", summary: "put a policy document into force",
        usage: "FILE [--name NAME.json] [--dry-run]", operands: 1...1,
        options: [
            Option(name: "dry-run", help: "change nothing; tell what would come of it"),
            Option(
                name: "name", value: "NAME",
                help: "its name in the policy directory; else the file's"),
            .workspace,
        ],
        examples: [
            "mamctl policy import level2.json --dry-run",
            "mamctl policy import export.txt --name strict.json",
        ],
        statuses: answerStatuses, run: importPolicy),
    Verb(
        name: "config get", summary: "a value of the app configuration; 1 if there is none",
        usage: "KEY [--type bool|number|string] [--query any|or|and|min|max] [--account UPN]",
        operands: 1...1,
        options: [
            Option(
                name: "type", value: "TYPE", choices: ["bool", "number", "string"],
                help: "bool, number, or string"),
            Option(
                name: "query", value: "QUERY", choices: ["any", "or", "and", "min", "max"],
                help: "which of several: any; or, and of bool; min, max of the others"),
            account, .workspace,
        ],
        examples: [
            "mamctl config get server", "mamctl config get retries --type number --query max",
        ],
        statuses: answerStatuses, run: getConfiguration),
    Verb(
        name: "config list", summary: "all values of the app configuration",
        usage: "[--account UPN]", options: [account, .workspace],
        examples: ["mamctl config list", "mamctl config list --json"],
        statuses: answerStatuses, run: listConfiguration),
    Verb(
        name: "config conflict", summary: "do configurations say different things? 0 yes, 1 no",
        usage: "KEY [--account UPN]", operands: 1...1, options: [account, .workspace],
        examples: ["mamctl config conflict server", "mamctl config conflict --json server"],
        statuses: answerStatuses, run: configurationConflicts),
    Verb(
        name: "configure", summary: "check settings, and write them in their own form",
        usage: "FILE [-o OUT]", operands: 1...1,
        options: [
            Option(
                name: "output", short: "o", value: "OUT", help: "write here; else FILE is replaced")
        ],
        examples: [
            "mamctl configure settings.json", "mamctl configure Info.plist -o settings.json",
        ],
        statuses: [.success, .failure, .usage, .notFound], run: configure),
    Verb(
        name: "metrics", summary: "the daemon's counters, as OpenMetrics text", usage: "",
        options: [.workspace], examples: ["mamctl metrics", "mamctl metrics --workspace work"],
        statuses: answerStatuses, run: showMetrics),
]
