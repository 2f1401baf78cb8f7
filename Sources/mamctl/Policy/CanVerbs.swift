// `can …`: policy decisions. Exits with 0 for yes, 6 for no, and prints the reason.

internal import Glibc
internal import MAMCommandLine
internal import MAMFormat
internal import MAMModel
internal import MAMPlaces
internal import MAMStore
internal import MAMSystem
internal import MAMWire

/// Answers one of the questions that only the policy decides, or all of them.
func can(_ invocation: Invocation) throws -> ExitStatus {
    let account = try invocation.arguments.text("account")
    if let question = try invocation.operands.first?.requireText("the question") {
        return try invocation.ask(Varlink.Policy.Ask(question: question, account: account))
    }
    let reply = try invocation.policy(Varlink.Policy.Answers(account: account))
    let rows: [[Message]] = reply.answers.map { answer in
        [.verbatim(answer.question), answer.decision.word, answer.decision.message]
    }
    return invocation.answer(reply.json, words: .verbatim(table(rows, width: outputWidth)))
}

func canSave(_ invocation: Invocation) throws -> ExitStatus {
    let file = try invocation.arguments.value("file").map(openForPolicy)
    let index = file.map { _ in 0 }
    let owner = try invocation.arguments.text("owner")
    let account = try invocation.arguments.text("account")
    guard let location = try invocation.arguments.text("location") else {
        return show(
            try invocation.policy(
                Varlink.Policy.SaveLocations(
                    owner: owner, fileDescriptor: index, account: account), of: file),
            invocation)
    }
    return try invocation.ask(
        Varlink.Policy.CanSave(
            location: location, owner: owner, fileDescriptor: index, account: account),
        of: file)
}

func canOpen(_ invocation: Invocation) throws -> ExitStatus {
    let receiver = try invocation.arguments.text("receiver")
    let account = try invocation.arguments.text("account")
    guard let location = try invocation.arguments.text("location") else {
        return show(
            try invocation.policy(
                Varlink.Policy.OpenLocations(receiver: receiver, account: account)),
            invocation)
    }
    return try invocation.ask(
        Varlink.Policy.CanOpen(location: location, receiver: receiver, account: account))
}

private func show(
    _ reply: Varlink.Policy.SaveLocations.Reply, _ invocation: Invocation
) -> ExitStatus {
    return invocation.answer(
        reply.json,
        words: .verbatim(
            table(
                reply.locations.map { answer in
                    [.verbatim(answer.location), answer.decision.word, answer.decision.message]
                })))
}

/// `-`: reads the owner from the header of the data on standard input.
func canReceive(_ invocation: Invocation) throws -> ExitStatus {
    var request = Varlink.Policy.CanReceive(
        item: invocation.arguments.has("item"), account: try invocation.arguments.text("account"))
    let path = invocation.operands[0]
    guard path.text != "-" else {
        request.owner = try ownerOnStandardInput()
        return try invocation.ask(request)
    }
    request.fileDescriptor = 0
    return try invocation.ask(request, of: try openForPolicy(path))
}

func canCopy(_ invocation: Invocation) throws -> ExitStatus {
    try invocation.ask(
        Varlink.Policy.CanCopy(
            count: try characterCount(invocation),
            account: try invocation.arguments.text("account"),
            target: try invocation.arguments.text("to")))
}

func canPaste(_ invocation: Invocation) throws -> ExitStatus {
    try invocation.ask(
        Varlink.Policy.CanPaste(
            count: try characterCount(invocation),
            account: try invocation.arguments.text("account"),
            source: try invocation.arguments.text("from")))
}

private func characterCount(_ invocation: Invocation) throws -> Int {
    let text = invocation.operands[0]
    guard let count = text.text.flatMap({ Int($0) }) else {
        throw invocation.misuse("'\(text.shown)' is not a number of characters")
    }
    return count
}

func canOpenURL(_ invocation: Invocation, isUniversal: Bool) throws -> ExitStatus {
    try invocation.ask(
        Varlink.Policy.CanOpenURL(
            url: try invocation.operands[0].requireText("the URL"),
            account: try invocation.arguments.text("account"),
            knownManagedScheme: invocation.arguments.has("managed-scheme"),
            universal: isUniversal))
}

func canPick(_ invocation: Invocation) throws -> ExitStatus {
    let word = try invocation.operands[0].requireText("the mode")
    guard let mode = Varlink.Policy.PickerMode(rawValue: word) else {
        let all = Varlink.Policy.PickerMode.allCases.map(\.rawValue).joined(separator: ", ")
        throw Failure(.usage, "mode is one of \(all)")
    }
    return try invocation.ask(
        Varlink.Policy.CanPickDocuments(
            mode: mode,
            account: try invocation.arguments.text("account")))
}

/// Exits with 0 only if notifications may show everything.
func canNotify(_ invocation: Invocation) throws -> ExitStatus {
    let reply = try invocation.policy(
        Varlink.Policy.NotificationPolicy(account: try invocation.arguments.text("account")))
    if invocation.isJSON { printJSON(reply.json) } else { printOut(verbatim: reply.name) }
    return reply.policy == 0 ? .success : .refused
}

/// Prints the allowed programs, one per line; exits with 6 if there are none.
func canShare(_ invocation: Invocation) throws -> ExitStatus {
    let reply = try invocation.policy(
        Varlink.Policy.ShareTargets(
            programs: try invocation.operands.map { try $0.requireText("a program's path") },
            account: try invocation.arguments.text("account")))
    let offered = reply.targets.filter(\.decision.allowed)
    if invocation.isJSON {
        printJSON(reply.json)
    } else {
        for target in offered {
            printOut("\(shown(target.program))\t\(target.sealed ? "sealed" : "clear")")
        }
    }
    return offered.isEmpty ? .refused : .success
}

/// Nil if the data has no owner.
private func ownerOnStandardInput() throws(Failure) -> String? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: FileHeader.byteCount)
    while bytes.count < FileHeader.byteCount {
        let count = read(STDIN_FILENO, &buffer, FileHeader.byteCount - bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        bytes += buffer.prefix(count)
    }
    switch FileFacts(
        head: bytes.span.bytes, physicalSize: Int64(bytes.count), orStream: true)
    {
    case .protected(let header):
        return header.owner.name.isEmpty ? header.owner.objectID : header.owner.name
    case .damaged(let error): throw Failure(.damaged, "standard input: \(error)")
    case .empty, .unwritten, .foreign: return nil
    }
}

private let printing = "isPrintingAllowed"

func canPrint(_ invocation: Invocation) throws -> ExitStatus {
    guard invocation.arguments.has("all") else {
        return try invocation.ask(
            Varlink.Policy.Ask(
                question: printing, account: try invocation.arguments.text("account")))
    }
    for other in ["account", "workspace"] { try invocation.refuse([other], with: "all") }
    return try answerForAll().show(isJSON: invocation.isJSON)
}

/// The first no, else a yes. A print service asks so: it knows a job's user, but not which of the
/// user's accounts the document belongs to.
private func answerForAll() throws -> Varlink.Policy.Ask.Reply {
    var last = Varlink.Policy.Ask.Reply(
        decision: .init(allowed: true, reason: "you have no account in a workspace that runs"))
    for daemon in runningDaemons() {
        for account in try daemon.status().accounts where account.uid == geteuid() {
            last = try daemon.call(
                Varlink.Policy.Ask(question: printing, account: account.label),
                about: "account '\(shown(account.label))'")
            guard last.decision.allowed else { return last }
        }
    }
    return last
}

extension Invocation {
    /// Calls a method of the policy interface. `file`: of the request's `fileDescriptor`, 0.
    func policy<Request: VarlinkRequest>(
        _ request: Request, of file: Descriptor? = nil
    ) throws -> Request.Reply {
        try daemon(for: file).call(
            request, descriptors: file.map { [$0] } ?? [], about: .verbatim(verb.name))
    }

    /// Asks, and prints the answer.
    func ask<Request: VarlinkRequest>(
        _ request: Request, of file: Descriptor? = nil
    ) throws -> ExitStatus where Request.Reply: DecisionReply {
        try policy(request, of: file).show(isJSON: isJSON)
    }
}

extension DecisionReply {
    /// Prints the answer. The status tells it too.
    func show(isJSON: Bool) -> ExitStatus {
        if isJSON {
            printJSON(json)
        } else {
            printOut("\(decision.word): \(decision.message)")
            if let url = (self as? Varlink.Policy.CanOpenURL.Reply)?.opens {
                printOut(verbatim: shown(url))
            }
        }
        return decision.allowed ? .success : .refused
    }
}

/// An O_PATH descriptor suffices in a mount. Outside, the daemon has to read the header.
func openForPolicy(_ path: ByteString) throws -> Descriptor {
    let file = try openForQuestion(path)
    return workspace(of: file) != nil
        ? file : try naming(path, reopen(file.raw, O_RDONLY))
}

extension Varlink.Policy.Decision {
    var word: Message { allowed ? "yes" : "no" }
}
