// Verbs that protect files and data, and of file providers, which copy files to and from a cloud.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

private let stringOption = Option("string", "read and write text; protected text is base64")

let protectStatuses = daemonStatuses + [.notManaged, .windowClosed, .refused, .damaged]

private let protectOptions = [
    Option("owner", value: "UPN", "the new owner (default: your account); '' for nobody"),
    .unmanaged,
    Option("only-new", "for a directory, affect only files created from now on"),
    Option("quiet", short: "q", "print failures only"), .override, .filesFrom, .null,
    .workspace,
]

private let dataOptions = [
    Option(
        "output", short: "o", value: "OUT",
        "write to OUT, whole or not at all (default: standard output)"),
    Option("force", "replace OUT if it exists"), stringOption, .override, .workspace,
]

let protectionVerbs: [Verb] = [
    Verb(
        name: "protect", summary: "Set the owner of files and whole directories",
        usage: [
            .many("PATH"), ["--owner", ["--unmanaged"]], ["--only-new"], ["--files-from"], ["-0"],
        ],
        options: protectOptions,
        examples: [
            "mamctl protect ~/Work/plans --owner ann@contoso.com",
            "mamctl protect --json ~/Work/*.odt --owner '' --unmanaged",
        ],
        statuses: protectStatuses, run: protect),
    Verb(
        name: "verify-protect", alias: "protect",
        summary: "Alias for protect, as in the SDK",
        usage: [.many("PATH"), ["--owner"], ["--files-from"], ["-0"]],
        options: protectOptions,
        examples: [
            "mamctl verify-protect ~/Work/plans --owner ann@contoso.com",
            "mamctl verify-protect --json ~/Work",
        ],
        statuses: protectStatuses, run: protect),
    Verb(
        name: "data protect", alias: "encrypt", summary: "Alias for encrypt -, as in the SDK",
        usage: [[.one("FILE", or: "-")], "--owner", ["-o"], ["--string"]],
        options: [
            Option("owner", value: "UPN", "owner of the data; '' for nobody"),
            .unmanaged,
        ] + dataOptions,
        examples: [
            "tar c plans | mamctl data protect --owner ann@contoso.com > plans.sealed",
            "printf %s \"$token\" | mamctl data protect --owner ann@contoso.com --string",
        ],
        statuses: daemonStatuses + [.notManaged, .windowClosed, .refused], run: protectData),
    Verb(
        name: "data unprotect", alias: "decrypt",
        summary: "Alias for decrypt -, as in the SDK; copies plain data unchanged",
        usage: [[.one("FILE", or: "-")], ["-o"], ["--string"]], options: dataOptions,
        examples: [
            "mamctl data unprotect < plans.sealed | tar x",
            "mamctl data unprotect plans.sealed -o plans.tar",
        ],
        statuses: daemonStatuses + [.windowClosed, .refused, .damaged], run: unprotectData),
    Verb(
        name: "data info", alias: "info", summary: "Alias for info -, as in the SDK",
        usage: [[.one("FILE", or: "-")], ["--string"]], options: [stringOption, .workspace],
        examples: ["mamctl data info < plans.sealed", "mamctl data info --json < plans.sealed"],
        statuses: daemonStatuses + [.notManaged, .damaged], run: dataInfo),
]

private let owner = Option(
    "owner", value: "UPN", "the provider's account (default: this shell's identity or yours)")
private let force = Option("force", "replace DST if it exists")

let providerVerbs: [Verb] = [
    Verb(
        name: "provider fetch",
        summary: "Fetch a file from an account's cloud, encrypted if policy requires it",
        usage: [.one("SRC", or: "-"), "DST", ["--owner"], ["--force"]],
        options: [owner, .unmanaged, force, .override, .workspace],
        examples: [
            "mamctl provider fetch cache/plan.odt ~/Downloads/plan.odt --owner ann@contoso.com",
            "rclone cat cloud:plan.odt | mamctl provider fetch - ~/Work/plan.odt",
        ],
        statuses: protectStatuses, run: providerFetch),
    Verb(
        name: "provider import",
        summary: "Import a file into an account's cloud, decrypted, if policy allows it",
        usage: ["SRC", "DST", ["--owner"], ["--force"]],
        options: [owner, .unmanaged, force, .override, .workspace],
        examples: [
            "mamctl provider import ~/Work/plan.odt outbox/plan.odt",
            "mamctl provider import plan.sealed outbox/plan.odt --owner ann@contoso.com --json",
        ],
        statuses: protectStatuses, run: providerImport),
    Verb(
        name: "provider stamp", alias: "protect",
        summary: "Alias for protect, as in the SDK, for a provider's items in a mount",
        usage: [.many("PATH"), ["--owner"]],
        options: [owner, .unmanaged, .override, .workspace],
        examples: [
            "mamctl provider stamp ~/Work/cloud --owner ann@contoso.com",
            "mamctl provider stamp --json ~/Work/cloud/*.odt",
        ],
        statuses: protectStatuses, run: protect),
]
