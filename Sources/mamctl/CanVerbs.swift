// `can …`: what policy says. 0 is yes, 6 is no, with the reason.

internal import Glibc
internal import MAMFormat
internal import MAMModel
internal import MAMPolicy
internal import MAMStore
internal import MAMSystem
internal import MAMWire

/// All questions that need nothing but a policy, or one of them.
func can(_ invocation: Invocation) throws -> ExitStatus {
    let account = try PolicyAsking(invocation).parameters(["account"])
    if let question = invocation.operands.first {
        let text = try question.requireText("the question")
        return try PolicyAsking(invocation).ask(
            "Ask", account.merging(["question": .string(text)]) { $1 })
    }
    let reply = try invocation.policy("Answers", account)
    if invocation.isJSON {
        printJSON(.object(reply.members))
        return .success
    }
    let rows = try reply.objects("answers").map { answer in
        let decision = Decision(try answer.value("decision"))
        return [try answer.string("question"), yesOrNo(decision), shown(decision.reason)]
    }
    printOut(table(rows, width: outputWidth))
    return .success
}

func canSave(_ invocation: Invocation) throws -> ExitStatus {
    try PolicyAsking(invocation).askLocation(
        "CanSave", orAll: "SaveLocations",
        try PolicyAsking(invocation).parameters(["owner", "account"]),
        of: invocation.arguments.value("file"))
}

func canOpen(_ invocation: Invocation) throws -> ExitStatus {
    try PolicyAsking(invocation).askLocation(
        "CanOpen", orAll: "OpenLocations",
        try PolicyAsking(invocation).parameters(["receiver", "account"]))
}

/// `-`: what comes on standard input begins with a header, or does not.
func canReceive(_ invocation: Invocation) throws -> ExitStatus {
    var parameters = try PolicyAsking(invocation).parameters(["account"])
    if invocation.arguments.has("item") { parameters["item"] = true }
    let path = invocation.operands[0]
    guard path.text == "-" else {
        return try PolicyAsking(invocation).ask("CanReceive", parameters, of: path)
    }
    if let owner = try ownerOnStandardInput() { parameters["owner"] = .string(owner) }
    return try PolicyAsking(invocation).ask("CanReceive", parameters)
}

func canCopy(_ invocation: Invocation) throws -> ExitStatus {
    try PolicyAsking(invocation).ask(
        "CanCopy", try PolicyAsking(invocation).clipboard(target: "to", as: "target"))
}

func canPaste(_ invocation: Invocation) throws -> ExitStatus {
    try PolicyAsking(invocation).ask(
        "CanPaste", try PolicyAsking(invocation).clipboard(target: "from", as: "source"))
}

func canOpenURL(_ invocation: Invocation) throws -> ExitStatus {
    try PolicyAsking(invocation).askLink([:])
}

func canOpenLink(_ invocation: Invocation) throws -> ExitStatus {
    try PolicyAsking(invocation).askLink(["universal": true])
}

func canPrint(_ invocation: Invocation) throws -> ExitStatus {
    let account = try PolicyAsking(invocation).parameters(["account"])
    return try PolicyAsking(invocation).ask(
        "Ask", account.merging(["question": "isPrintingAllowed"]) { $1 })
}

func canPick(_ invocation: Invocation) throws -> ExitStatus {
    let mode = try invocation.operands[0].requireText("the mode")
    let account = try PolicyAsking(invocation).parameters(["account"])
    return try PolicyAsking(invocation).ask(
        "CanPickDocuments", account.merging(["mode": .string(mode)]) { $1 })
}

/// 0 only if everything may be shown.
func canNotify(_ invocation: Invocation) throws -> ExitStatus {
    let reply = try invocation.policy(
        "NotificationPolicy", try PolicyAsking(invocation).parameters(["account"]))
    if invocation.isJSON {
        printJSON(.object(reply.members))
    } else {
        printOut(try reply.string("name"))
    }
    return try reply.integer("policy") == 0 ? .success : .refused
}

/// The programs that are offered, one in a line; 6 if there is none.
func canShare(_ invocation: Invocation) throws -> ExitStatus {
    var parameters = try PolicyAsking(invocation).parameters(["account"])
    parameters["programs"] = .array(
        try invocation.operands.map { .string(try $0.requireText("a program's path")) })
    let reply = try invocation.policy("ShareTargets", parameters)
    let offered = try reply.objects("targets").filter {
        try Decision($0.value("decision")).isAllowed
    }
    if invocation.isJSON {
        printJSON(.object(reply.members))
    } else {
        for target in offered {
            let form = try target.bool("sealed") ? "sealed" : "clear"
            printOut("\(shown(try target.string("program")))\t\(form)")
        }
    }
    return offered.isEmpty ? .refused : .success
}

extension Invocation {
    /// Calls a method of the policy interface.
    func policy(
        _ method: String, _ parameters: [String: JSONValue] = [:], of file: Descriptor? = nil
    ) throws -> Parameters {
        try daemon(for: file).call(
            "Policy.\(method)", parameters, descriptors: file.map { [$0] } ?? [], about: verb.name)
    }
}

/// Nil for what says nothing of an owner.
private func ownerOnStandardInput() throws(Failure) -> String? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: FileHeader.byteCount)
    while bytes.count < FileHeader.byteCount {
        let count = read(STDIN_FILENO, &buffer, FileHeader.byteCount - bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        bytes += buffer.prefix(count)
    }
    switch MAMStore.FileFacts(
        head: bytes.span.bytes, physicalSize: Int64(bytes.count), orStream: true)
    {
    case .protected(let header):
        return header.owner.name.isEmpty ? header.owner.objectID : header.owner.name
    case .damaged(let error): throw Failure(.damaged, "standard input: \(error)")
    case .empty, .foreign: return nil
    }
}
