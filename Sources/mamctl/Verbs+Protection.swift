// The verbs for protecting files and data.

internal import MAMWire

private let stringOption = Option(
    name: "string", help: "text, and base64 for what is protected")

private let protectStatuses = daemonStatuses + [.notManaged, .windowClosed, .refused, .damaged]

private let protectOptions = [
    Option(name: "owner", value: "UPN", help: "the owner; else your account; '' is nobody"),
    .unmanaged,
    Option(
        name: "only-new", help: "of a directory, only what is made there from then on"),
    Option(name: "quiet", short: "q", help: "print failures alone"), .filesFrom, .null,
    .workspace,
]

private let dataOptions = [
    Option(
        name: "output", short: "o", value: "OUT",
        help: "write here, whole or not at all; else to standard output"),
    Option(name: "force", help: "replace OUT if it exists"), stringOption, .workspace,
]

let protectionVerbs: [Verb] = [
    Verb(
        name: "protect", summary: "give files and whole directories to an identity",
        usage: "PATH… [--owner UPN] [--only-new] [--files-from LIST] [-0]",
        operands: 1...Int.max,
        options: protectOptions,
        examples: [
            "mamctl protect ~/Work/plans --owner ann@contoso.com",
            "mamctl protect --json ~/Work/*.odt --owner ''",
        ],
        statuses: protectStatuses, run: protect),
    Verb(
        name: "verify-protect", alias: "protect",
        summary: "the SDK's name for protect",
        usage: "PATH… [--owner UPN] [--files-from LIST] [-0]", operands: 1...Int.max,
        options: protectOptions,
        examples: [
            "mamctl verify-protect ~/Work/plans --owner ann@contoso.com",
            "mamctl verify-protect --json ~/Work",
        ],
        statuses: protectStatuses, run: protect),
    Verb(
        name: "data protect", alias: "encrypt", summary: "the SDK's name for encrypt -",
        usage: "[FILE|-] --owner UPN [-o OUT] [--string]", operands: 0...1,
        options: [
            Option(name: "owner", value: "UPN", help: "the owner of the data; '' is nobody"),
            .unmanaged,
        ] + dataOptions,
        examples: [
            "tar c plans | mamctl data protect --owner ann@contoso.com > plans.sealed",
            "printf %s \"$token\" | mamctl data protect --owner ann@contoso.com --string",
        ],
        statuses: daemonStatuses + [.notManaged, .windowClosed, .refused], run: protectData),
    Verb(
        name: "data unprotect", alias: "decrypt",
        summary: "the SDK's name for decrypt -; passes on what was never protected",
        usage: "[FILE|-] [-o OUT] [--string]", operands: 0...1, options: dataOptions,
        examples: [
            "mamctl data unprotect < plans.sealed | tar x",
            "mamctl data unprotect plans.sealed -o plans.tar",
        ],
        statuses: daemonStatuses + [.windowClosed, .refused, .damaged], run: unprotectData),
    Verb(
        name: "data info", alias: "info", summary: "the SDK's name for info -",
        usage: "[FILE|-] [--string]", operands: 0...1, options: [stringOption, .workspace],
        examples: ["mamctl data info < plans.sealed", "mamctl data info --json < plans.sealed"],
        statuses: daemonStatuses + [.notManaged, .damaged], run: dataInfo),
]
