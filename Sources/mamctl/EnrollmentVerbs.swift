// `account login`, `account deregister`, `account check-in`, `threat set` and `compliance check`.

internal import Glibc
internal import MAMModel
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

func loginAccount(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let account: AccountReport
    do { account = try invocation.account(of: daemon) } catch let error as Failure {
        // Like the SDK, register an unknown account.
        guard error.kind == "UnknownAccount" else { throw error }
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
    return try login(
        account.label, try invocation.currentPassphrase(of: account), "unlocked", invocation,
        daemon)
}

private func loginNewAccount(_ invocation: Invocation, _ daemon: Daemon) throws -> ExitStatus {
    let name = try invocation.operands[0].requireText("the account's name")
    var secrets = SecretParameters()
    let prompt = "Passphrase for the new account \(ByteString(name).shown)"
    try secrets.add("passphrase", try invocation.passphrase(prompt, isNew: true))
    return try login(name, secrets, "registered", invocation, daemon)
}

private func login(
    _ name: String, _ secrets: SecretParameters, _ done: String, _ invocation: Invocation,
    _ daemon: Daemon
) throws -> ExitStatus {
    let parameters: [String: JSONValue] = ["account": .string(name)]
    let reply = try daemon.call(
        "Enrollment.Login", parameters.merging(secrets.members) { $1 },
        descriptors: secrets.descriptors, about: "account '\(ByteString(name).shown)'")
    return try report(try reply.object("status"), of: name, done, invocation)
}

func deregisterAccount(_ invocation: Invocation) throws -> ExitStatus {
    let name = try invocation.operands[0].requireText("the account's name")
    if try invocation.choosesWipe(of: name) { return try wipe(invocation) }
    let daemon = try invocation.daemon()
    let reply = try daemon.call(
        "Enrollment.Deregister", ["account": .string(name), "wipe": false],
        about: "account '\(ByteString(name).shown)'")
    let status = try reply.object("status")
    let told = try report(status, of: name, "deregistered; its keys are kept", invocation)
    // 213: there is no such account.
    return try status.integer("statusCode") == 213 ? .notFound : told
}

func checkInNow(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let reply = try daemon.call("Enrollment.CheckIn", about: "workspace '\(daemon.name)'")
    let succeeded = try reply.bool("succeeded")
    let reason = try reply.optionalString("reason") ?? "nothing was read"
    if invocation.isJSON {
        printJSON(.object(reply.members))
    } else {
        printOut(succeeded ? "checked in" : "check-in failed: \(ByteString(reason).shown)")
    }
    return succeeded ? .success : .failure
}

func setThreatLevel(_ invocation: Invocation) throws -> ExitStatus {
    let text = try invocation.operands[0].requireText("the level")
    // `unknown` clears the level.
    let level = ThreatLevel(rawValue: text)
    let daemon = try invocation.daemon()
    _ = try daemon.call(
        "Enrollment.SetThreatLevel", ["level": JSONValue(level?.rawValue)],
        about: "workspace '\(daemon.name)'")
    if invocation.isJSON { printJSON(["level": JSONValue(level?.rawValue)]) }
    return .success
}

/// The words for the numbers of `IntuneMAMComplianceStatus`.
private let complianceWords = [
    "compliant", "not compliant", "service failure", "network failure", "interaction required",
    "canceled",
]

func checkCompliance(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    let reply = try daemon.call(
        "Enrollment.CheckCompliance", ["account": .string(account.label)],
        about: "account '\(account.label)'")
    let status = try reply.integer("status")
    if invocation.isJSON {
        printJSON(.object(reply.members))
    } else {
        let word =
            complianceWords.indices.contains(status) ? complianceWords[status] : "status \(status)"
        let reason = try reply.optionalString("reason").map { ": \(ByteString($0).shown)" } ?? ""
        printOut("\(account.label): \(word)\(reason)")
    }
    return status == 0 ? .success : .failure
}

private func report(
    _ status: Parameters, of name: String, _ done: String, _ invocation: Invocation
) throws -> ExitStatus {
    let succeeded = try status.bool("didSucceed")
    if invocation.isJSON {
        printJSON(.object(status.members))
    } else if succeeded {
        printOut("\(ByteString(name).shown): \(done)")
    } else {
        let error = try status.optionalString("errorString") ?? ""
        printError(
            "mamctl: \(ByteString(name).shown): \(ByteString(error).shown)"
                + " (status \(try status.integer("statusCode")))")
    }
    return succeeded ? .success : .refused
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
            "Destroy the keys and files of \(ByteString(name).shown)? Type wipe or keep")
        switch answer.text {
        case "wipe": return true
        case "keep": return false
        default: throw Failure(.failure, "\(ByteString(name).shown): not deregistered")
        }
    }
}
