// `account register`, `account passphrase` and `unlock`.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func registerAccount(_ invocation: Invocation) throws -> ExitStatus {
    let name = try invocation.operands[0].requireText("the account's name")
    let daemon = try invocation.daemon()
    var parameters: [String: JSONValue] = ["name": .string(name)]
    if let objectID = try invocation.arguments.text("oid") {
        parameters["objectId"] = .string(objectID)
    }
    var secrets = SecretParameters()
    try invocation.addNewPassphrase(of: ByteString(name).shown, to: &secrets, &parameters)
    if invocation.arguments.has("new-keys") { parameters["newKeys"] = true }
    let reply = try register(
        name, parameters.merging(secrets.members) { $1 }, secrets.descriptors, daemon)
    let account = try AccountReport(try reply.object("account"))
    let isCovered = account.stage == "enrolled"
    return try report(
        reply, invocation,
        (isCovered ? "registered" : "registered; no policy covers it yet") + account.recoveryNote)
}

/// Asks whether sealed files are to stay as they are, where there are any; without a terminal that
/// is a refusal.
private func register(
    _ name: String, _ parameters: [String: JSONValue], _ secrets: [Descriptor], _ daemon: Daemon
) throws -> Parameters {
    let subject = "account '\(ByteString(name).shown)'"
    do throws(Failure) {
        return try daemon.call(
            "RegisterAccount", parameters, descriptors: secrets, about: subject)
    } catch {
        guard error.kind == "SealedFiles", isatty(STDIN_FILENO) == 1 else { throw error }
        printError("\(error.message); to open them, run: \(importCommand)")
        let answer = try Terminal.askOpenly(
            "New keys do not open them; only importing theirs will. Type yes to continue")
        guard answer.text == "yes" else {
            throw Failure(.failure, "\(subject): not registered", next: importCommand)
        }
    }
    return try daemon.call(
        "RegisterAccount", parameters.merging(["newKeys": true]) { $1 }, descriptors: secrets,
        about: subject)
}

func changePassphrase(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    var parameters: [String: JSONValue] = ["account": .string(account.label)]
    var secrets = try invocation.currentPassphrase(of: account)
    if invocation.arguments.has("no-passphrase") {
        try invocation.refuse(["new-passfile", "new-extpass"], with: "no-passphrase")
        parameters["noPassphrase"] = true
    } else {
        let new = try invocation.passphrase(
            "New passphrase of \(account.label)", isNew: true, optionPrefix: "new-")
        try secrets.add("newPassphrase", new)
    }
    let reply = try daemon.call(
        "ChangePassphrase", parameters.merging(secrets.members) { $1 },
        descriptors: secrets.descriptors, about: "account '\(account.label)'")
    return try report(reply, invocation, "passphrase changed")
}

func unlock(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    return try report(try invocation.unlock(account, of: daemon), invocation, "unlocked")
}

private func report(
    _ reply: Parameters, _ invocation: Invocation, _ done: String
) throws -> ExitStatus {
    let account = try AccountReport(try reply.object("account"))
    if invocation.isJSON {
        printJSON(account.json)
    } else {
        printOut("\(account.label): \(done)")
    }
    return .success
}

extension Invocation {
    /// The account that the first operand names, else the only one that the caller controls.
    func account(of daemon: Daemon) throws -> AccountReport {
        let report = try daemon.status()
        if report.needsImport {
            throw Failure(
                .notFound, "workspace '\(daemon.name)' has no account, and \(importReason)",
                next: importCommand)
        }
        if let operand = operands.first {
            let text = try operand.requireText("the account's name")
            if let found = report.accounts.first(where: { $0.isNamed(text) }) { return found }
            throw unknownAccount(operand, text, report)
        }
        let own = report.ownAccounts
        guard let only = own.first else {
            throw Failure(
                .notFound, "workspace '\(daemon.name)' has no account of yours",
                next: "mamctl account register UPN")
        }
        guard own.count == 1 else {
            let names = own.map(\.label).joined(separator: ", ")
            throw Failure(
                .usage, "name one of your accounts: \(names)", next: "mamctl \(verb.name) ACCOUNT")
        }
        return only
    }

    private func unknownAccount(
        _ operand: ByteString, _ name: String, _ report: StatusReport
    ) -> Failure {
        let failure = Failure(.unknownAccount(operand.shown), about: "")
        if let near = report.nearestAccount(to: name) {
            return failure.with(
                guess: didYouMean([near]),
                next: "mamctl \(verb.name) \(ByteString(near).asArgument)")
        }
        guard verb.name == "unlock" else { return failure }
        return failure.with(
            guess: "", next: "mamctl account register \(operand.asArgument), if it is new")
    }

    /// Opens an account's windows with its passphrase.
    func unlock(_ account: AccountReport, of daemon: Daemon) throws -> Parameters {
        let secrets = try currentPassphrase(of: account)
        let parameters: [String: JSONValue] = ["account": .string(account.label)]
        return try daemon.call(
            "Unlock", parameters.merging(secrets.members) { $1 }, descriptors: secrets.descriptors,
            about: "account '\(account.label)'")
    }

    /// What a call that needs the account's keys has to carry: nothing if the device alone opens
    /// them.
    func currentPassphrase(of account: AccountReport) throws -> SecretParameters {
        var secrets = SecretParameters()
        if account.hasPassphrase {
            try secrets.add(
                "passphrase", try passphrase("Passphrase of \(account.label)", isNew: false))
        }
        return secrets
    }

    /// Options that exclude each other.
    func refuse(_ names: [String], with other: String) throws(Failure) {
        for name in names where arguments.has(name) {
            throw .usage(verb, "--\(name) and --\(other) exclude each other")
        }
    }
}

extension StatusReport {
    /// The caller's account whose name was nearly written.
    func nearestAccount(to name: String) -> String? {
        nearest(to: name, in: ownAccounts.map(\.label))
    }

    /// Of accounts of others nothing is told.
    var ownAccounts: [AccountReport] {
        let isTrusted = geteuid() == 0 || geteuid() == uid
        return accounts.filter { isTrusted || $0.uid == geteuid() }
    }
}

extension AccountReport {
    /// Who gets an account is told who else can open its files.
    var recoveryNote: String {
        isRecoverable ? "; the organisation has a recovery key, and can open its files" : ""
    }

    /// How a person calls it.
    var label: String { name.isEmpty ? (objectID.isEmpty ? id : objectID) : name }

    /// As the daemon compares: name, object id or id, without regard to case.
    func isNamed(_ text: String) -> Bool {
        !text.isEmpty && [name, objectID, id].contains { $0.lowercased() == text.lowercased() }
    }
}
