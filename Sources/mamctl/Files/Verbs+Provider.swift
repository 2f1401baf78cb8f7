// Verbs of file providers, which copy files to and from a cloud.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

private let owner = Option(
    "owner", value: "UPN", "the provider's account (default: this shell's identity or yours)")
private let force = Option("force", "replace DST if it exists")

private let providerStatuses = daemonStatuses + [.notManaged, .windowClosed, .refused, .damaged]

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
        statuses: providerStatuses, run: providerFetch),
    Verb(
        name: "provider import",
        summary: "Import a file into an account's cloud, decrypted, if policy allows it",
        usage: ["SRC", "DST", ["--owner"], ["--force"]],
        options: [owner, .unmanaged, force, .override, .workspace],
        examples: [
            "mamctl provider import ~/Work/plan.odt outbox/plan.odt",
            "mamctl provider import plan.sealed outbox/plan.odt --owner ann@contoso.com --json",
        ],
        statuses: providerStatuses, run: providerImport),
    Verb(
        name: "provider stamp", alias: "protect",
        summary: "Alias for protect, as in the SDK, for a provider's items in a mount",
        usage: [.many("PATH"), ["--owner"]],
        options: [owner, .unmanaged, .override, .workspace],
        examples: [
            "mamctl provider stamp ~/Work/cloud --owner ann@contoso.com",
            "mamctl provider stamp --json ~/Work/cloud/*.odt",
        ],
        statuses: providerStatuses, run: protect),
]
