// `identity show`, `identity ui`, `identity blocked` and `account link`.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func showIdentity(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let reply = try daemon.call("Identity.GetIdentity", about: "workspace '\(daemon.name)'")
    let acting = try reply.object("acting")
    if invocation.isJSON {
        printJSON(.object(acting.members))
    } else {
        printOut(try describe(acting))
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
    if ["passfile", "extpass"].contains(where: { invocation.arguments.has($0) }) {
        let prompt = "Passphrase of \(ByteString(wanted ?? "").shown)"
        try secrets.add("passphrase", try invocation.passphrase(prompt, isNew: false))
    }
    let reply = try daemon.call(
        "Identity.SetUserInterfaceIdentity",
        ["identity": wanted.map(JSONValue.string) ?? .null].merging(secrets.members) { $1 },
        descriptors: secrets.descriptors, about: "identity '\(ByteString(wanted ?? "").shown)'")
    if invocation.isJSON {
        printJSON(.object(reply.members))
    } else {
        let reason = try reply.string("reason")
        printOut([try reply.string("word"), reason].filter { !$0.isEmpty }.joined(separator: ": "))
    }
    return try reply.integer("result") == 0 ? .success : .refused
}

private func showInterfaceIdentity(
    _ invocation: Invocation, _ daemon: Daemon
) throws -> ExitStatus {
    let reply = try daemon.call(
        "Identity.GetUserInterfaceIdentity", about: "workspace '\(daemon.name)'")
    if invocation.isJSON {
        printJSON(.object(reply.members))
    } else if reply.has("acting") {
        printOut(try describe(try reply.object("acting")))
    } else {
        printOut(
            try reply.strings("identities").map { ByteString($0).shown }.joined(separator: ", "))
    }
    return .success
}

func showBlockedAccounts(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let reply = try daemon.call("Identity.BlockedAccounts", about: "workspace '\(daemon.name)'")
    if invocation.isJSON {
        printJSON(.object(reply.members))
        return .success
    }
    for account in try reply.objects("accounts") {
        let name = ByteString(try account.string("account")).shown
        printOut("\(name)\t\(try account.string("word"))\t\(try account.string("text"))")
    }
    return .success
}

func linkAccount(_ invocation: Invocation) throws -> ExitStatus {
    guard let objectID = try invocation.arguments.text("oid") else {
        throw Failure.usage(invocation.verb, "--oid is missing")
    }
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    let secrets = try invocation.currentPassphrase(of: account)
    let parameters: [String: JSONValue] = [
        "account": .string(account.label), "objectId": .string(objectID),
    ]
    let reply = try daemon.call(
        "Identity.LinkAccount", parameters.merging(secrets.members) { $1 },
        descriptors: secrets.descriptors, about: "account '\(account.label)'")
    if invocation.isJSON {
        printJSON(.object(reply.members))
    } else {
        printOut("\(account.label): has the object id \(try reply.string("objectId"))")
    }
    return .success
}

/// An identity and where it comes from.
private func describe(_ acting: Parameters) throws -> String {
    let name = try acting.string("name")
    let who = name.isEmpty ? "nobody" : ByteString(name).shown
    let kind = try acting.bool("managed") ? "managed" : "not managed"
    let reason =
        switch try acting.string("source") {
        case "thread": "set for the thread"
        case "session": "set for this login session"
        case "process":
            "inherited from process \(try acting.integer("process"))"
        default: "the default of uid \(geteuid()), as nothing else is set"
        }
    return "\(who)\t\(kind)\t\(reason)"
}
