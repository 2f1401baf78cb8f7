// Verbs for contained programs on the desktop.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

extension Option {
    fileprivate static let account = Option(
        name: "account", value: "UPN", help: "the account that the programs act for")
}

let containVerbs: [Verb] = [
    Verb(
        name: "contain install",
        summary: "Add launchers to the desktop that start programs contained",
        usage: [.many("APP", or: "--managed", isRequired: false), ["--account"], ["--default"]],
        options: [
            .account,
            Option(
                name: "managed",
                help: "in place of the ordinary ones, for all programs of ManagedPrograms"),
            Option(
                name: "default",
                help: "make them the first choice for all files of their types, everywhere"),
            .workspace,
        ],
        examples: [
            "mamctl contain install libreoffice-writer org.gnome.Evince",
            "mamctl contain install org.gnome.Evince --account ann@contoso.com --default",
            "mamctl contain install --managed",
        ],
        statuses: daemonStatuses + [.refused], run: installLaunchers),
    Verb(
        name: "contain list", summary: "List the launchers of contained programs",
        usage: [["--account"]], options: [.account, .workspace],
        examples: ["mamctl contain list", "mamctl contain list --json --workspace work"],
        statuses: [.success, .usage], run: listLaunchers),
    Verb(
        name: "contain remove", summary: "Remove launchers of contained programs",
        usage: [.many("APP", or: "--managed", isRequired: false), ["--account"]],
        options: [
            .account,
            Option(name: "managed", help: "all that stand in place of ordinary launchers"),
            .workspace,
        ],
        examples: [
            "mamctl contain remove libreoffice-writer",
            "mamctl contain remove org.gnome.Evince --workspace work",
        ],
        statuses: [.success, .failure, .usage, .notFound], run: removeLaunchers),
    Verb(
        name: "open", summary: "Open files of a workspace with a contained program",
        usage: [.many("FILE"), ["--account"]], options: [.account, .workspace],
        examples: ["mamctl open ~/Work/plan.odt", "mamctl open ~/Work/*.pdf"],
        statuses: daemonStatuses + [.notManaged, .refused], run: openContained),
]
