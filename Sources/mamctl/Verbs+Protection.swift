// The verbs for protecting files and data.

internal import MAMControl

private let stringOption = Option(
    name: "string", help: "text, and base64 for what is protected")

let protectionVerbs: [Verb] = [
    Verb(
        name: "data protect", summary: "protect standard input for an identity",
        usage: "--owner UPN [--string]",
        options: [
            Option(name: "owner", value: "UPN", help: "the owner of the data; '' is nobody"),
            stringOption, .workspace,
        ],
        examples: [
            "tar c plans | mamctl data protect --owner ann@contoso.com > plans.sealed",
            "printf %s \"$token\" | mamctl data protect --owner ann@contoso.com --string",
        ],
        statuses: daemonStatuses + [.notManaged, .windowClosed, .refused], run: protectData),
    Verb(
        name: "data unprotect",
        summary: "the inverse; what was never protected passes through as it is",
        usage: "[--string]", options: [stringOption, .workspace],
        examples: ["mamctl data unprotect < plans.sealed | tar x"],
        statuses: daemonStatuses + [.windowClosed, .refused, .damaged], run: unprotectData),
    Verb(
        name: "data info", summary: "whose the data on standard input is, by its header",
        usage: "[--string]", options: [stringOption, .workspace],
        examples: ["mamctl data info < plans.sealed", "mamctl data info --json < plans.sealed"],
        statuses: daemonStatuses + [.notManaged, .damaged], run: dataInfo),
]
