// `account register`, `account passphrase` and `unlock`.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

func registerAccount(_ invocation: Invocation) throws -> ExitStatus {
    let name = try invocation.operands[0].requireNewName()
    let daemon = try invocation.daemon()
    let recovery = try RecoveryOffer(invocation)
    try signIn(
        invocation, as: name, objectID: try invocation.arguments.text("oid"), to: daemon)
    var secrets = SecretParameters()
    let passphrase = try invocation.newPassphrase(of: shown(name))
    let request = Varlink.Workspace.RegisterAccount(
        name: name, objectID: try invocation.arguments.text("oid"),
        passphraseDescriptor: try secrets.add(passphrase),
        noPassphrase: passphrase == nil ? true : nil,
        // Omitted otherwise: an earlier daemon does not know it.
        newKeys: invocation.arguments.has("new-keys") ? true : nil)
    let account = try register(request, secrets.descriptors, daemon)
    let slot = try recovery.take(for: account, opening: passphrase, of: daemon)
    let words: Message = slot.map { "; its recovery passphrase is key slot \($0.id)" } ?? ""
    let done: Message =
        account.stage == .enrolled ? "registered" : "registered; no policy covers it yet"
    let members = account.members.merging(["recoverySlot": JSONValue(slot?.id)]) { $1 }
    return invocation.answer(
        .object(members), words: "\(account.label): \(done)\(account.recoveryNote)\(words)")
}

/// Registers an account. If sealed files carry its name, asks whether to leave them; without a
/// terminal, refuses.
func register(
    _ request: Varlink.Workspace.RegisterAccount, _ secrets: [Descriptor], _ daemon: Daemon
) throws -> AccountReport {
    let subject: Message = "account '\(shown(request.name))'"
    do throws(Failure) {
        return try daemon.call(request, descriptors: secrets, about: subject).account
    } catch {
        let isOfSealedFiles = error.kind == Varlink.Workspace.ErrorName.sealedFiles.rawValue
        guard isOfSealedFiles, isatty(STDIN_FILENO) == 1 else { throw error }
        printError("\(error.message); to open them, run: \(importCommand)")
        let answer = try Terminal.askOpenly(
            "New keys do not open them; only importing theirs will. Type yes to continue")
        guard answer.text == "yes" else {
            throw Failure(.failure, "\(subject): not registered", next: importCommand)
        }
    }
    var request = request
    request.newKeys = true
    return try daemon.call(request, descriptors: secrets, about: subject).account
}

func changePassphrase(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    if invocation.arguments.has("forgotten") {
        return try ForgottenPassphrase(invocation: invocation, daemon: daemon).help()
    }
    if let export = invocation.arguments.value("export") {
        let (account, new) = try PassphraseReset(
            invocation: invocation, path: export, daemon: daemon
        ).reset()
        return try reportReset(account, new, invocation, daemon)
    }
    for name in Option.ofExport.map(\.name) where invocation.arguments.has(name) {
        throw invocation.misuse("--\(name) needs --export")
    }
    let account = try invocation.account(of: daemon)
    var secrets = SecretParameters()
    var request = Varlink.Workspace.ChangePassphrase(account: account.label)
    request.passphraseDescriptor = try invocation.currentPassphrase(of: account, in: &secrets)
    let new = try invocation.newPassphrase(replacing: account)
    request.newPassphraseDescriptor = try secrets.add(new)
    request.noPassphrase = new == nil ? true : nil
    let changed = try daemon.call(
        request, descriptors: secrets.descriptors, about: "account '\(account.label)'"
    ).account
    if let new { try tellKeyring(new, of: account.label, in: daemon) }
    return report(
        changed, invocation,
        account.hasPassphrase || new == nil
            ? "passphrase changed"
            : "passphrase set; its keys are new, and its files are sealed anew under them: a"
                + " recovery file from before does not open them; mamctl account export"
                + " \(ByteString(account.label).asArgument) writes another")
}

/// `new`: nil for none.
func reportReset(
    _ account: AccountReport, _ new: SecretBuffer?, _ invocation: Invocation, _ daemon: Daemon
) throws -> ExitStatus {
    if let new { try tellKeyring(new, of: account.label, in: daemon) }
    let verb = account.block == nil ? "unlock" : "account login"
    return report(
        account, invocation, "passphrase reset; mamctl \(verb) opens it with the new one")
}

/// The desktop's keyring, where `setup --keyring` has put the former passphrase.
private func tellKeyring(
    _ new: SecretBuffer, of account: String, in daemon: Daemon
) throws {
    guard let keyring = try DesktopKeyring(of: daemon), keyring.opens(account),
        try !keyring.store(new)
    else { return }
    let status = try daemon.status()
    throw Failure(
        .failure, "\(account): passphrase changed, but the keyring has the former one still",
        next: "unlock the keyring, as a desktop's login does, and run: mamctl setup --keyring"
            + " \(ByteString(status.mountPoint).asArgument)"
            + " \(ByteString(account).asArgument)")
}

func unlock(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let end = Deadline(seconds: try invocation.arguments.seconds("wait", of: invocation.verb) ?? 0)
    var account = try invocation.account(of: daemon)
    while account.retryAfterSeconds > 0, !end.hasPassed {
        sleep(1)
        account = try invocation.account(of: daemon)
    }
    do {
        return report(try invocation.unlockBySlot(account, of: daemon), invocation, "unlocked")
    } catch let failure as Failure
        where failure.kind == Varlink.Workspace.ErrorName.wrongPassphrase.rawValue
    {
        try forgetInKeyring(invocation, daemon)
        throw failure
    }
}

/// A wrong passphrase that is in the desktop's keyring would cost a try at each login.
private func forgetInKeyring(_ invocation: Invocation, _ daemon: Daemon) throws {
    guard let keyring = try DesktopKeyring(of: daemon),
        keyring.answers(invocation.arguments.values("extpass")), keyring.clear()
    else { return }
    printError("the keyring had a passphrase that does not open the account, and has it no more")
}

private func report(
    _ account: AccountReport, _ invocation: Invocation, _ done: Message
) -> ExitStatus {
    return invocation.answer(account.json, words: "\(account.label): \(done)")
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
        if operand.bytes.contains(UInt8(ascii: "/")) {
            let place = try? openFile(operand.cString, openPathOnly)
            let other = place.flatMap { workspace(of: $0) }.map { " --workspace \($0)" } ?? ""
            return failure.with(
                guess: ", which is a path", next: "mamctl \(verb.name)\(other)")
        }
        guard verb.name == "unlock" else { return failure }
        return failure.with(
            guess: "", next: "mamctl account register \(operand.asArgument), if it is new")
    }

    /// Opens an account's windows with its passphrase.
    func unlock(_ account: AccountReport, of daemon: Daemon) throws -> AccountReport {
        try daemon.unlock(account) { try currentPassphrase(of: account, in: &$0) }
    }

    /// The index of the account's passphrase among the secrets of a call; nil if the device alone
    /// opens its keys. `place`: where the account is, if it may also be elsewhere.
    func currentPassphrase(
        of account: AccountReport, _ prompt: Message? = nil, in secrets: inout SecretParameters
    ) throws -> Int? {
        try secrets.add(try currentPassphrase(of: account, prompt))
    }

    /// The same, for more than one call.
    func currentPassphrase(
        of account: AccountReport, _ prompt: Message? = nil
    ) throws -> SecretBuffer? {
        guard account.hasPassphrase else { return nil }
        try agreeToLastTry(of: account)
        return try passphrase(prompt ?? "Passphrase of \(account.label)", isNew: false)
    }

    /// The passphrase that an account gets in place of its own; nil for none.
    func newPassphrase(replacing account: AccountReport) throws -> SecretBuffer? {
        guard arguments.has("no-passphrase") else {
            return try passphrase(
                "New passphrase of \(account.label)", isNew: true, optionPrefix: "new-")
        }
        try refuse(["new-passfile", "new-extpass"], with: "no-passphrase")
        return nil
    }

    /// The passphrase that will open the account; nil for the device alone.
    func newPassphrase(of label: String) throws -> SecretBuffer? {
        guard arguments.has("no-passphrase") else {
            return try passphrase("Passphrase for \(label)", isNew: true)
        }
        try refuse(["passfile", "extpass"], with: "no-passphrase")
        return nil
    }

    /// Refuses `names` together with the option `other`.
    func refuse(_ names: [String], with other: String) throws(Failure) {
        for name in names where arguments.has(name) {
            throw .usage(verb, "--\(name) and --\(other) exclude each other")
        }
    }
}

extension Daemon {
    /// `passphrase`: adds the account's to the secrets; nil if the device alone opens its keys.
    /// `slot`: the only one to try.
    func unlock(
        _ account: AccountReport, slot: String? = nil,
        _ passphrase: (inout SecretParameters) throws -> Int?
    ) throws -> AccountReport {
        var secrets = SecretParameters()
        let request = Varlink.Workspace.Unlock(
            account: account.label, slot: slot, passphraseDescriptor: try passphrase(&secrets))
        return try call(
            request, descriptors: secrets.descriptors, about: "account '\(account.label)'"
        ).account
    }
}

extension ByteString {
    /// The name of an account to register, which nothing names later.
    func requireNewName() throws(Failure) -> String {
        let name = try requireText("the account's name")
        guard name.isObjectID else { return name }
        throw Failure(
            .usage, "\(name) is an object id, and an account needs its name",
            next: "mamctl account register UPN --oid \(name)")
    }
}

extension StatusReport {
    /// The caller's account with the most similar name.
    func nearestAccount(to name: String) -> String? {
        nearest(to: name, in: ownAccounts.map(\.label))
    }
}

extension AccountReport {
    /// Tells the user of a new account that the organisation can open its files too.
    var recoveryNote: Message {
        isRecoverable ? "; the organisation has a recovery key, and can open its files" : ""
    }

    /// The account's name for people.
    var label: String { name.isEmpty ? (objectID.isEmpty ? id : objectID) : name }

    /// Compares as the daemon does: with name, object id or id, ignoring case.
    func isNamed(_ text: String) -> Bool {
        !text.isEmpty && [name, objectID, id].contains(where: text.isSameFolded)
    }
}
