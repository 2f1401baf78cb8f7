// Verbs of file providers: what goes to a cloud and comes from it.

internal import MAMWire

private let owner = Option(
    name: "owner", value: "UPN",
    help: "whose provider it is; else whom you work for, or your account")
private let force = Option(name: "force", help: "replace DST if it exists")

private let providerStatuses = daemonStatuses + [.notManaged, .windowClosed, .refused, .damaged]

let providerVerbs: [Verb] = [
    Verb(
        name: "provider fetch",
        summary: "hand a file of an account's cloud out, encrypted if policy asks for that",
        usage: "SRC|- DST [--owner UPN] [--force]", operands: 2...2,
        options: [owner, .unmanaged, force, .workspace],
        examples: [
            "mamctl provider fetch cache/plan.odt ~/Downloads/plan.odt --owner ann@contoso.com",
            "rclone cat cloud:plan.odt | mamctl provider fetch - ~/Work/plan.odt",
        ],
        statuses: providerStatuses, run: providerFetch),
    Verb(
        name: "provider import",
        summary: "take a file in for an account's cloud, in the clear, if policy lets it in",
        usage: "SRC DST [--owner UPN] [--force]", operands: 2...2,
        options: [owner, .unmanaged, force, .workspace],
        examples: [
            "mamctl provider import ~/Work/plan.odt outbox/plan.odt",
            "mamctl provider import plan.sealed outbox/plan.odt --owner ann@contoso.com --json",
        ],
        statuses: providerStatuses, run: providerImport),
    Verb(
        name: "provider stamp", alias: "protect",
        summary: "the SDK's name for protect, of a provider's items in a mount",
        usage: "PATH… [--owner UPN]", operands: 1...Int.max,
        options: [owner, .unmanaged, .workspace],
        examples: [
            "mamctl provider stamp ~/Work/cloud --owner ann@contoso.com",
            "mamctl provider stamp --json ~/Work/cloud/*.odt",
        ],
        statuses: providerStatuses, run: protect),
]
