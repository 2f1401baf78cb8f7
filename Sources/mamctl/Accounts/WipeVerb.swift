// `wipe`.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func wipe(_ invocation: Invocation) throws -> ExitStatus {
    let account = try invocation.operands[0].requireText("the account's name")
    let daemon = try invocation.daemon()
    try invocation.confirmWipe(of: account, daemon)
    let subject: Message = "account '\(shown(account))'"
    let report = try follow(daemon, account, about: subject)
    if invocation.isJSON {
        printJSON(report.json)
    } else if report.complete {
        let removed = report.files.counted("file")
        printOut("\(shown(account)): wiped, \(removed) removed; \(report.rest)")
    }
    return warn(ofIncomplete: report, account, in: try daemon.status().backingDirectory)
}

/// Returns the final reply; shows the others as progress.
private func follow(
    _ daemon: Daemon, _ account: String, about subject: Message
) throws -> Varlink.Workspace.Wipe.Reply {
    let progress = Progress()
    var last: Varlink.Workspace.Wipe.Reply?
    defer { progress.clear() }
    let request = Varlink.Workspace.Wipe(account: account, confirmed: true)
    try daemon.stream(request, about: subject) { reply in
        last = reply
        progress.files = reply.scanned
        progress.note = "\(reply.files.grouped) removed"
        progress.show()
        return true
    }
    guard let last else { throw daemon.hasEnded }
    return last
}

/// Reports what could not be wiped; returns a failure if anything is left.
func warn(
    ofIncomplete report: Varlink.Workspace.Wipe.Reply, _ account: String, in backing: String
) -> ExitStatus {
    for straggler in report.stragglers { warn(of: straggler) }
    if report.elsewhere == false {
        printError(
            "mamctl: \(shown(account)): the Wipe hook did not say that what it keeps"
                + " elsewhere is gone; its exit status is in the daemon's log")
    }
    if report.complete { return .success }
    for path in report.left {
        printError(
            "\(shown(backing))/\(shown(path)): could not be read or removed")
    }
    printError(
        "mamctl: \(shown(account)): the wipe is not complete,"
            + " \(report.files.counted("file")) removed; check with ls -l who may read the rest,"
            + " and run this again"
    )
    return .failure
}

extension Varlink.Workspace.Wipe.Reply {
    /// The result of checking the other files.
    fileprivate var rest: Message {
        switch scanned {
        case 0: "there is no other file"
        case 1: "the only other file was checked and does not belong to it"
        default: "all \(scanned.grouped) other files were checked and none belongs to it"
        }
    }
}

extension Invocation {
    /// A wipe cannot be undone: requires the account's name, typed at the terminal or given as an
    /// option.
    func confirmWipe(of account: String, _ daemon: Daemon) throws {
        let known = try daemon.status().accounts.first { $0.isNamed(account) }
        let name = ByteString(known?.label ?? account)
        guard isatty(STDIN_FILENO) == 1 else { return try requireConfirmation(of: name) }
        printError(
            "This destroys the keys of \(name.shown) and removes all its files in workspace"
                + " '\(daemon.name)'. They can be read again only from a backup that has them, and"
                + " with their keys: from an account export, or from a backup of the workspace's"
                + " state.")
        guard name.isSameName(as: try Terminal.askOpenly("Type the account's name to continue"))
        else {
            throw Failure(.failure, "\(name.shown): not wiped", next: "type the exact name")
        }
    }

    private func requireConfirmation(of name: ByteString) throws {
        guard let given = arguments.value("confirm") else {
            throw Failure.usage(
                verb, "no terminal to ask for confirmation: add --confirm \(name.shown)")
        }
        guard name.isSameName(as: given) else {
            throw Failure.usage(
                verb, "--confirm is '\(given.shown)', but the account's name is \(name.shown)")
        }
    }
}

extension ByteString {
    /// Ignores case, like the daemon.
    fileprivate func isSameName(as other: ByteString) -> Bool {
        guard let text, let other = other.text else { return false }
        return text.isSameFolded(other)
    }
}
