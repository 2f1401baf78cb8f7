// `identity show`, `identity ui`, `identity blocked` and `account link`.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

let runVerbs: [Verb] = [
    Verb(
        name: "run", summary: "Run a command whose new files belong to an identity",
        usage: [
            ["--identity"], .oneOf("--contained", "--trusted"), "--", "COMMAND",
            [.many("ARGUMENT")],
        ],
        options: [
            Option("identity", value: "UPN", "owner of the files it creates; '' for nobody"),
            .unmanaged,
            Option("contained", "keep it from leaving anything outside the workspace"),
            Option(
                "trusted",
                "let it read what is only for contained programs; TrustedPrograms names it"),
            Option(
                "account", value: "UPN",
                "with --contained: the account that it acts for (default: yours);"
                    + " with --trusted: whose files it reads (default: all)"),
            Option(
                "network", value: "any|none|PORTS",
                "with --contained: less than policy lets it connect to"),
            Option("nested", "with --contained: a display of its own in a window, on Wayland"),
            Option(
                "discard-output",
                "with --contained: /dev/null for standard streams that lead outside"),
            .workspace,
        ], takesCommand: true,
        examples: [
            "mamctl run --identity ann@home.example --unmanaged -- cp notes.txt ~/Work/",
            "mamctl run --identity ann@contoso.com bash",
            "mamctl run --contained -- libreoffice plan.odt",
            "mamctl run --trusted -- /usr/bin/restic backup /srv/work",
        ],
        statuses: daemonStatuses + [.notManaged, .refused], run: runCommand)
]

let identityVerbs: [Verb] = [
    Verb(
        name: "identity show", summary: "Show the identity of this shell, and why it holds",
        usage: [["--workspace"]], options: [.workspace],
        examples: [
            "mamctl identity show",
            "mamctl run --identity ann@home.example -- mamctl identity show --json",
        ],
        statuses: daemonStatuses, run: showIdentity),
    Verb(
        name: "identity ui", summary: "Show or set the identity of this login session",
        usage: [.oneOf(.all("--set", .oneOf("--passfile", "--extpass")), "--unset")],
        options: [
            Option("set", value: "UPN", "switch to this identity; '' for nobody"),
            Option("unset", "clear the identity that was set"),
            .passfile, .extpass, .workspace,
        ],
        examples: ["mamctl identity ui", "mamctl identity ui --set ann@contoso.com"],
        statuses: daemonStatuses + [.refused], run: interfaceIdentity),
    Verb(
        name: "identity blocked", summary: "List your accounts that are blocked, and why",
        usage: [["--workspace"]], options: [.workspace],
        examples: ["mamctl identity blocked", "mamctl identity blocked --json"],
        statuses: daemonStatuses, run: showBlockedAccounts),
    Verb(
        name: "account link", summary: "Set the directory object id of an account",
        usage: ["UPN", "--oid", .oneOf("--passfile", "--extpass")],
        options: [
            Option("oid", value: "ID", "the directory object id"),
            .passfile, .extpass, .workspace,
        ],
        examples: [
            "mamctl account link ann@contoso.com --oid 5a3c1f0e-7d2b-4a6e-9c11-0b8d5e2f7a90",
            "mamctl account link ann@contoso.com --oid ID --passfile secret.txt",
        ],
        statuses: daemonStatuses + [.refused, .wrongPassphrase], run: linkAccount),
]

private typealias Wire = Varlink.Identity

func showIdentity(_ invocation: Invocation) throws -> ExitStatus {
    let acting = try invocation.daemon().call(Wire.GetIdentity()).acting
    return invocation.answer(acting.json, words: describe(acting))
}

func interfaceIdentity(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let wanted = try invocation.arguments.text("set")
    if invocation.arguments.has("unset") {
        try invocation.refuse(["set"], with: "unset")
    } else if wanted == nil {
        return try showInterfaceIdentity(invocation, daemon)
    }
    var secrets = SecretParameters()
    var request = Wire.SetUserInterfaceIdentity(identity: wanted)
    if ["passfile", "extpass"].contains(where: { invocation.arguments.has($0) }) {
        let prompt: Message = "Passphrase of \(shown(wanted ?? ""))"
        request.passphraseDescriptor = try secrets.add(
            try invocation.passphrase(prompt, isNew: false))
    }
    let reply = try daemon.call(
        request, descriptors: secrets.descriptors,
        about: "identity '\(shown(wanted ?? ""))'")
    invocation.answer(
        reply.json,
        words: .verbatim([reply.word, reply.reason].filter { !$0.isEmpty }.joined(separator: ": ")))
    return reply.result == 0 ? .success : .refused
}

private func showInterfaceIdentity(
    _ invocation: Invocation, _ daemon: Daemon
) throws -> ExitStatus {
    let reply = try daemon.call(Wire.GetUserInterfaceIdentity())
    if invocation.isJSON {
        printJSON(reply.json)
    } else if let acting = reply.acting {
        printOut(describe(acting))
    } else {
        let names = reply.identities ?? []
        printOut(verbatim: names.map { shown($0) }.joined(separator: ", "))
    }
    return .success
}

func showBlockedAccounts(_ invocation: Invocation) throws -> ExitStatus {
    let reply = try invocation.daemon().call(Wire.BlockedAccounts())
    if invocation.isJSON {
        printJSON(reply.json)
        return .success
    }
    for blocked in reply.accounts {
        printOut(verbatim: "\(shown(blocked.account))\t\(blocked.word)\t\(blocked.text)")
    }
    return .success
}

func linkAccount(_ invocation: Invocation) throws -> ExitStatus {
    guard let objectID = try invocation.arguments.text("oid") else {
        throw invocation.misuse("--oid is missing")
    }
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    var secrets = SecretParameters()
    let request = Wire.LinkAccount(
        account: account.label, objectID: objectID,
        passphraseDescriptor: try invocation.currentPassphrase(of: account, in: &secrets))
    let reply = try daemon.call(
        request, descriptors: secrets.descriptors, about: "account '\(account.label)'")
    return invocation.answer(
        reply.json, words: "\(account.label): has the object id \(reply.objectID)")
}

/// An identity and where it comes from.
private func describe(_ acting: Wire.Acting) -> Message {
    let who: Message =
        acting.name.isEmpty ? "nobody" : .verbatim(shown(acting.name))
    let kind: Message = acting.managed ? "managed" : "not managed"
    let reason: Message =
        switch acting.source {
        case .thread: "set for the thread"
        case .session: "set for this login session"
        case .process: "inherited from process \(acting.process ?? 0)"
        case .default: "the default of uid \(geteuid()), as nothing else is set"
        }
    return "\(who)\t\(kind)\t\(reason)"
}
