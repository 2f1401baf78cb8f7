// `account import`: an account's keys from another machine.

internal import Glibc
internal import MAMCommandLine
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func importKeys(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let source = try ExportSource(invocation, at: invocation.operands[0])
    let present = try daemon.status().accounts.first { source.isOf($0) }
    guard present != nil || !invocation.arguments.has("join") else {
        throw Failure(
            .refused, "there is no account \(source.label) to join",
            next: "mamctl account import \(source.path.asArgument), which registers it")
    }
    if let present { try invocation.agreeToJoin(present, source, daemon) }
    // A wrong passphrase of an account counts: it is not asked for again.
    let imported = try askingAgain(if: present == nil && invocation.arguments.isTyped()) {
        try source.importKeys(into: daemon, joins: present != nil) { secrets in
            if let present {
                try invocation.currentPassphrase(
                    of: present, "Passphrase of \(present.label) here", in: &secrets)
            } else {
                try secrets.add(try invocation.newPassphrase(of: source.label))
            }
        }
    }
    if invocation.isJSON {
        printJSON(imported.json)
    } else if let present {
        printOut("\(present.label): the keys of \(source.path.shown) open files besides its own")
        printError("Their files are resealed under the account's own keys over time: export those.")
    } else {
        let account = try daemon.status().accounts.first { $0.id == imported.id }
        printOut("\(source.label): imported, and unlocked\(account?.recoveryNote ?? "")")
    }
    return .success
}

extension Invocation {
    /// Shows what the file would add to the account and asks: anyone may have written it.
    fileprivate func agreeToJoin(
        _ account: AccountReport, _ source: ExportSource, _ daemon: Daemon
    ) throws {
        guard account.hasPassphrase || arguments.has("no-passphrase") else {
            throw Failure(
                .usage,
                "\(account.label) has no passphrase: this device alone would open the added keys",
                next: "mamctl account passphrase \(account.label), or add --no-passphrase")
        }
        let (request, secrets) = try source.opening()
        let found = try daemon.call(
            request, descriptors: secrets.descriptors, about: .verbatim(source.path.shown))
        printError(
            "\(account.label) exists already. \(source.path.shown) has keys of \(source.label),"
                + " account \(source.export.accountID.bytes), written"
                + " \((currentTime() - Int(source.export.time)).asTimeAgo). They open"
                + " \(found.opened.grouped) of the \(found.files.counted("sealed file"))"
                + " that need them.")
        if arguments.has("join") { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw Failure(
                .refused, "\(account.label): keys not changed",
                next: "add --join if you trust the source of the file")
        }
        guard try Terminal.askOpenly("Add them to its keys? Type yes to continue").text == "yes"
        else {
            throw Failure(.failure, "\(account.label): keys not changed")
        }
    }
}
