// `identity show`, `identity ui`, `identity blocked` and `account link`.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

private typealias Wire = Varlink.Identity

func showIdentity(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let acting = try daemon.call(Wire.GetIdentity()).acting
    if invocation.isJSON {
        printJSON(acting.json)
    } else {
        printOut(describe(acting))
    }
    return .success
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
        let prompt: Message = "Passphrase of \(ByteString(wanted ?? "").shown)"
        request.passphraseDescriptor = try secrets.add(
            try invocation.passphrase(prompt, isNew: false))
    }
    let reply = try daemon.call(
        request, descriptors: secrets.descriptors,
        about: "identity '\(ByteString(wanted ?? "").shown)'")
    if invocation.isJSON {
        printJSON(reply.json)
    } else {
        printOut(
            verbatim: [reply.word, reply.reason].filter { !$0.isEmpty }.joined(separator: ": "))
    }
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
        printOut(verbatim: names.map { ByteString($0).shown }.joined(separator: ", "))
    }
    return .success
}

func showBlockedAccounts(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let reply = try daemon.call(Wire.BlockedAccounts())
    if invocation.isJSON {
        printJSON(reply.json)
        return .success
    }
    for blocked in reply.accounts {
        printOut(verbatim: "\(ByteString(blocked.account).shown)\t\(blocked.word)\t\(blocked.text)")
    }
    return .success
}

func linkAccount(_ invocation: Invocation) throws -> ExitStatus {
    guard let objectID = try invocation.arguments.text("oid") else {
        throw Failure.usage(invocation.verb, "--oid is missing")
    }
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    var secrets = SecretParameters()
    let request = Wire.LinkAccount(
        account: account.label, objectID: objectID,
        passphraseDescriptor: try invocation.currentPassphrase(of: account, in: &secrets))
    let reply = try daemon.call(
        request, descriptors: secrets.descriptors, about: "account '\(account.label)'")
    if invocation.isJSON {
        printJSON(reply.json)
    } else {
        printOut("\(account.label): has the object id \(reply.objectID)")
    }
    return .success
}

/// An identity and where it comes from.
private func describe(_ acting: Wire.Acting) -> Message {
    let who: Message =
        acting.name.isEmpty ? "nobody" : .verbatim(ByteString(acting.name).shown)
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
