// `account login`, `account deregister`, `account check-in`, `threat set` and `compliance check`.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

private typealias Wire = Varlink.Enrollment

func loginAccount(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let account: AccountReport
    do { account = try invocation.account(of: daemon) } catch let error as Failure {
        // Like the SDK, register an unknown account.
        guard error.kind == Varlink.Workspace.ErrorName.unknownAccount.rawValue else { throw error }
        let name = try invocation.operands[0].requireText("the account's name")
        // A name similar to a known account's is probably a typing error.
        if !invocation.arguments.has("register"),
            let near = try daemon.status().nearestAccount(to: name)
        {
            let login = "mamctl account login \(ByteString(near).asArgument)"
            throw error.with(guess: "", next: "\(login), or add --register if it is new")
        }
        return try loginNewAccount(invocation, daemon)
    }
    try signIn(invocation, as: account.label, to: daemon)
    var secrets = SecretParameters()
    let passphrase = try invocation.currentPassphrase(of: account, in: &secrets)
    let request = Wire.Login(account: account.label, passphraseDescriptor: passphrase)
    return try login(request, secrets, "unlocked", invocation, daemon)
}

private func loginNewAccount(_ invocation: Invocation, _ daemon: Daemon) throws -> ExitStatus {
    let name = try invocation.operands[0].requireNewName()
    try signIn(invocation, as: name, to: daemon)
    var secrets = SecretParameters()
    let prompt: Message = "Passphrase for the new account \(shown(name))"
    let passphrase = try secrets.add(try invocation.passphrase(prompt, isNew: true))
    let request = Wire.Login(account: name, passphraseDescriptor: passphrase)
    return try login(request, secrets, "registered", invocation, daemon)
}

private func login(
    _ request: Wire.Login, _ secrets: SecretParameters, _ done: Message, _ invocation: Invocation,
    _ daemon: Daemon
) throws -> ExitStatus {
    let name = request.account ?? ""
    let reply = try daemon.call(
        request, descriptors: secrets.descriptors,
        about: "account '\(shown(name))'")
    return report(reply.status, of: name, done, invocation)
}

func deregisterAccount(_ invocation: Invocation) throws -> ExitStatus {
    let name = try invocation.operands[0].requireText("the account's name")
    if try invocation.choosesWipe(of: name) { return try wipe(invocation) }
    let daemon = try invocation.daemon()
    let status = try daemon.call(
        Wire.Deregister(account: name, wipe: false), about: "account '\(shown(name))'"
    ).status
    let told = report(status, of: name, "deregistered; its keys are kept", invocation)
    // 213: there is no such account.
    return status.statusCode == 213 ? .notFound : told
}

func checkInNow(_ invocation: Invocation) throws -> ExitStatus {
    let reply = try invocation.daemon().call(Wire.CheckIn())
    let reason = reply.reason.map { Message(known: shown($0)) } ?? "nothing was read"
    invocation.answer(
        reply.json, words: reply.succeeded ? "checked in" : "check-in failed: \(reason)")
    return reply.succeeded ? .success : .failure
}

func setThreatLevel(_ invocation: Invocation) throws -> ExitStatus {
    let text = try invocation.operands[0].requireText("the level")
    // `unknown` clears the level.
    let level = Wire.ThreatLevel(rawValue: text)
    try invocation.daemon().call(Wire.SetThreatLevel(level: level))
    if invocation.isJSON { printJSON(["level": JSONValue(level?.rawValue)]) }
    return .success
}

/// The words for the numbers of `IntuneMAMComplianceStatus`.
private let complianceWords: [Message] = [
    "compliant", "not compliant", "service failure", "network failure", "interaction required",
    "canceled",
]

func checkCompliance(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    let reply = try daemon.call(
        Wire.CheckCompliance(account: account.label), about: "account '\(account.label)'")
    let status = reply.status
    let word =
        complianceWords.indices.contains(status) ? complianceWords[status] : "status \(status)"
    invocation.answer(
        reply.json,
        words: reply.reason.map { "\(account.label): \(word): \(Message(known: shown($0)))" }
            ?? "\(account.label): \(word)")
    return status == 0 ? .success : .failure
}

private func report(
    _ status: Wire.Status, of name: String, _ done: Message, _ invocation: Invocation
) -> ExitStatus {
    if invocation.isJSON {
        printJSON(status.json)
    } else if status.didSucceed {
        printOut("\(shown(name)): \(done)")
    } else {
        printError(
            "mamctl: \(shown(name)): \(shown(status.errorString ?? ""))"
                + " (status \(status.statusCode))")
    }
    return status.didSucceed ? .success : .refused
}

extension Invocation {
    /// As in the SDK, the caller must choose: neither choice can be undone.
    fileprivate func choosesWipe(of name: String) throws -> Bool {
        if arguments.has("keep") {
            try refuse(["wipe", "confirm"], with: "keep")
            return false
        }
        if arguments.has("wipe") { return true }
        guard isatty(STDIN_FILENO) == 1 else {
            throw Failure.usage(verb, "choose what happens to its files: --wipe or --keep")
        }
        let answer = try Terminal.askOpenly(
            "Destroy the keys and files of \(shown(name))? Type wipe or keep")
        switch answer.text {
        case "wipe": return true
        case "keep": return false
        default: throw Failure(.failure, "\(shown(name)): not deregistered")
        }
    }
}
