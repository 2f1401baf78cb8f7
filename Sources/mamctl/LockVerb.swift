// `lock`: one workspace, or all that run.

internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire
internal import MAMWords

func lock(_ invocation: Invocation) throws -> ExitStatus {
    if invocation.arguments.has("all") { return try lockAll(invocation) }
    let daemon = try invocation.daemon()
    let account = invocation.operands.first
    let locked = try daemon.call(
        Varlink.Workspace.Lock(
            account: try account?.requireText("the account's name"),
            now: invocation.arguments.has("now")),
        about: account.map { "account '\($0.shown)'" })
    if invocation.isJSON { printJSON(locked.json) } else { locked.print() }
    return .success
}

/// Locks all workspaces in parallel, so that a slow or failing daemon does not delay the others.
private func lockAll(_ invocation: Invocation) throws -> ExitStatus {
    guard invocation.operands.isEmpty, !invocation.arguments.has(.workspace) else {
        throw Failure.usage(
            invocation.verb, "--all locks every account of every workspace; it takes no operand")
    }
    let isNow = invocation.arguments.has("now")
    let outcomes = sideBySide(Places.current.sockets(), named: "lock") { name, path in
        (name: name, result: Result { try lock(name, at: path, now: isNow) })
    }.sorted { $0.name.description < $1.name.description }
    var (status, answers): (ExitStatus, [JSONValue]) = (.success, [])
    for (name, result) in outcomes {
        do {
            guard let locked = try result.get() else { continue }
            answers.append(.object(locked.members.merging(["workspace": name.json]) { $1 }))
            if !invocation.isJSON { locked.print(of: name) }
        } catch {
            let failure = Failure(any: error)
            failure.report(isJSON: false)
            answers.append(["workspace": name.json, "error": failure.json])
            if status == .success { status = failure.status }
        }
    }
    // No daemon running means that nothing is unlocked.
    if invocation.isJSON { printJSON(.array(answers)) }
    return status
}

/// Nil if a dead daemon left the socket.
private func lock(
    _ name: WorkspaceName, at path: String, now: Bool
) throws -> Varlink.Workspace.Lock.Reply? {
    let daemon: Daemon
    do throws(Failure) { daemon = try Daemon(of: name, at: path) } catch {
        if error.status == .unreachable, !error.isSilence { return nil }
        throw error
    }
    return try daemon.call(Varlink.Workspace.Lock(now: now))
}

extension Varlink.Workspace.Lock.Reply {
    fileprivate func print(of workspace: WorkspaceName? = nil) {
        if let workspace { printOut(verbatim: "\(workspace):") }
        printAccounts(accounts, isJSON: false)
        for straggler in stragglers { warn(of: straggler) }
    }
}

func warn(of straggler: Varlink.Workspace.Straggler) {
    let users: [Message] = straggler.processes.map {
        "process \($0.pid) (\(ByteString($0.name).shown))"
    }
    let who: Message =
        users.isEmpty ? "a process that the daemon cannot see" : users.joined(separator: ", ")
    printError(
        "\(ByteString(straggler.path).shown): locked, but \(who) was still using it;"
            + " its further writes are lost")
}

extension WorkspaceName {
    var json: JSONValue { .string(description) }
}
