// `status` and `account list`.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire
internal import MAMWords

/// Prints all workspaces. Exits with 8 if none is mounted or a daemon does not answer, with 7 if a
/// backing directory was deleted, or with another status if a reply is invalid.
func showStatus(_ invocation: Invocation) throws -> ExitStatus {
    if invocation.arguments.has(.workspace) {
        return show([try invocation.daemon().status()], [], [], invocation)
    }
    var (reports, unknown): ([StatusReport], [UnknownWorkspace]) = ([], [])
    for daemon in runningDaemons() {
        // Show the other workspaces even if this daemon does not answer.
        do { reports.append(try daemon.status()) } catch {
            unknown.append(UnknownWorkspace(name: daemon.name, failure: Failure(any: error)))
        }
    }
    let running = reports.map(\.name) + unknown.map(\.name.description)
    let others = Places.current.unmountedWorkspaces(except: running).filter { other in
        if other.isServed {
            unknown.append(
                UnknownWorkspace(name: other.name, failure: unreachedDaemon(of: other.name)))
        }
        return !other.isServed
    }
    // With nothing to show, fail with a hint on what to do.
    if running.isEmpty, unknown.isEmpty, others.isEmpty {
        _ = try invocation.daemons()
    }
    return show(reports, unknown, others, invocation)
}

private func show(
    _ reports: [StatusReport], _ unknown: [UnknownWorkspace], _ others: [UnmountedWorkspace],
    _ invocation: Invocation
) -> ExitStatus {
    if invocation.isJSON {
        let known = reports.map(\.json)
        printJSON(.array(known + unknown.map(\.json) + others.map(\.json)))
    } else {
        let known = reports.map { StatusText($0, width: outputWidth ?? .max).text }
        printOut(
            verbatim: (known + unknown.map(describe) + others.map(describe))
                .joined(separator: "\n\n"))
    }
    if let failure = unknown.first?.failure { return failure.status }
    if reports.contains(where: { $0.backingGone == true }) { return .damaged }
    return reports.isEmpty ? .unreachable : .success
}

/// A workspace whose daemon runs but did not return its state.
private struct UnknownWorkspace {
    let name: WorkspaceName
    let failure: Failure

    var json: JSONValue { ["name": .string(name.description), "error": failure.json] }
}

func listAccounts(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let accounts = try daemon.call(Varlink.Workspace.ListAccounts()).accounts
    if accounts.isEmpty, !invocation.isJSON, try daemon.status().needsImport {
        printOut("no accounts; \(importReason): \(importCommand)")
    } else {
        printAccounts(accounts, isJSON: invocation.isJSON)
    }
    return .success
}

/// Accounts as a table, or as a JSON array.
func printAccounts(_ accounts: [AccountReport], isJSON: Bool) {
    if isJSON {
        printJSON(accounts.json)
    } else if accounts.isEmpty {
        printOut("no accounts; register one: mamctl account register UPN")
    } else {
        printOut(verbatim: table(accounts.map(row), width: outputWidth))
    }
}

private func row(_ account: AccountReport) -> [Message] {
    let lines = AccountLines(account)
    let parts = [
        lines.blockReason, lines.countdown, account.stage == .registered ? noPolicy : nil,
        lines.notes,
    ]
    // Escape sequences count as characters: all cells of the coloured column have equally many.
    return [
        .verbatim(lines.shown), lines.state, parts.compactMap(\.self).joined(separator: "; "),
    ]
}

private let noPolicy: Message = "no policy covers it"

private func describe(_ workspace: UnknownWorkspace) -> String {
    let state: Message = workspace.failure.isSilence ? "does not answer" : "cannot be shown"
    let next = workspace.failure.next.map { "\n\(line("next", $0))" } ?? ""
    return """
        \(Style.output.bold(workspace.name.description))  \(Style.output.red(state).translated)
        \(line("because", workspace.failure.message))\(next)
        """
}

private func describe(_ workspace: UnmountedWorkspace) -> String {
    let name = Style.output.bold(workspace.name.description)
    guard let place = workspace.deadMount else {
        let shut = workspace.isShut ? workspace.mountPoint : nil
        let missing = workspace.missing
        let lines = [
            missing.map { line("missing", Style.output.red(.verbatim($0.place.shown))) },
            shut.map { line("shut", "\($0.shown) until it is mounted: mamd(8), shut") },
            line("next", missing?.next ?? .verbatim(workspace.command)),
        ].compactMap(\.self).joined(separator: "\n")
        return "\(name)  \(("not mounted" as Message).translated)\n\(lines)"
    }
    let state: Message = "\(Style.output.red("dead")) at \(place.shown)"
    return """
        \(name)  \(state.translated)
        \(line("because", "it is mounted, and its daemon has ended"))
        \(line("next", .verbatim(workspace.command)))
        """
}

/// A label, flush right, and its text.
private func line(_ label: Message, _ text: Message) -> String {
    let label = label.translated
    let indent = String(repeating: " ", count: max(0, 8 - label.count))
    return "\(indent)\(label)  \(text.translated)"
}

/// One workspace, in lines that fit the screen.
private struct StatusText {
    private let report: StatusReport
    private var lines: LabelledLines

    init(_ report: StatusReport, width: Int) {
        self.report = report
        lines = LabelledLines(width: width)
        lines.add(titleOf: report)
        addWorkspace()
        if report.needsImport {
            lines.add("next", "\(importCommand) (\(importReason))")
        } else if report.accounts.isEmpty {
            lines.add("next", "mamctl account register UPN (there is no account yet)")
        }
        for account in report.accounts { lines.add(AccountLines(account)) }
    }

    var text: String { lines.text }

    private mutating func addWorkspace() {
        lines.add("backing", .verbatim(shown(report.backingDirectory)))
        if report.backingGone == true {
            lines.add(
                "deleted", Style.output.red("the backing directory: what is written now is lost"))
            let place = ByteString(report.mountPoint).asArgument
            lines.add("next", "mamctl unmount \(place), and restore the directory from a backup")
        }
        let mode: Message = report.multiIdentity ? "several identities" : "single identity"
        let daemon: Message =
            "process \(report.pid) of uid \(report.uid), version \(report.version)"
        let isRing = report.transport == .io_uring
        let way: Message? = isRing ? "requests by io_uring" : nil
        lines.add(
            "daemon", [daemon, mode, way, ceiling].compactMap(\.self).joined(separator: "; "))
        if report.replaced == true {
            lines.add(
                "upgraded",
                "since the daemon started: the new version serves after the next unmount and mount")
        }
        if !isRing, let note = report.transportNote { lines.add("requests", Message(known: note)) }
        lines.add(
            "files", report.openFiles == 0 ? "none in use" : "\(report.openFiles.grouped) in use")
        if let verify = report.lastVerify {
            lines.add("verified", describe(verify))
        }
        for document in report.refused ?? [] {
            lines.add("refused", Style.output.red(document.text))
        }
    }

    /// Empty if the ceiling is the strictest class, which limits nothing.
    private var ceiling: Message? {
        guard report.maximumClass != .complete else { return nil }
        return "files get no stricter class than \(report.maximumClass.letter)"
    }
}

/// The time and the result of the last check.
func describe(_ verify: Varlink.Workspace.LastVerify) -> Message {
    let ago = (currentTime() - verify.time).asTimeAgo
    let counts = verify.counts
    let files = counts.files.counted("file")
    let known: Message =
        counts.foreign > 0 ? "\(files) (\(counts.foreign.grouped) foreign)" : files
    let found: Message = "\(known), \(counts.bytes.asBytes)"
    let problems = counts.left + counts.incomplete + counts.quarantined
    if problems > 0 {
        let left = Style.output.red("\(problems.counted("problem")) left or moved away")
        return "\(ago): \(found), \(left): mamctl verify"
    }
    let parts: [Message?] = [
        found, "nothing wrong",
        counts.uncheckedFiles > 0
            ? "\(counts.uncheckedFiles.counted("file")) not checked for want of a key" : nil,
        counts.unreadable > 0 ? "\(counts.unreadable.counted("file")) could not be read" : nil,
    ]
    return "\(ago): \(parts.compactMap(\.self).joined(separator: ", "))"
}
