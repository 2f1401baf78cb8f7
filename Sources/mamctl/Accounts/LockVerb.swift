// `lock`: one workspace, or all that run.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

func lock(_ invocation: Invocation) throws -> ExitStatus {
    if invocation.arguments.has("all") { return try lockAll(invocation) }
    let account = invocation.operands.first
    let locked = try invocation.daemon().call(
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
        throw invocation.misuse("--all locks every account of every workspace; it takes no operand")
    }
    let isNow = invocation.arguments.has("now")
    let outcomes = sideBySide(Places.current.sockets(), named: "lock") { name, path in
        (name: name, result: Result { try lock(name, at: path, now: isNow) })
    }
    let reached = outcomes.filter { if case .success(nil) = $0.result { false } else { true } }
        .map(\.name)
    let unreached = Places.current.servedWorkspaces(except: reached).map { name in
        (name: name, result: Result { try lockUnreached(name, now: isNow) })
    }
    var (status, answers): (ExitStatus, [JSONValue]) = (.success, [])
    for (name, result) in (outcomes + unreached).sorted(by: { "\($0.name)" < "\($1.name)" }) {
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
    // No daemon with keys means that nothing is unlocked.
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

/// A daemon that is just starting will listen, and one that is ending lets go of the keys: nil.
private func lockUnreached(
    _ name: WorkspaceName, now: Bool
) throws -> Varlink.Workspace.Lock.Reply? {
    let deadline = Deadline(seconds: 2)
    while Places.current.isServed(name) {
        let path = Places.current.existingSocket(of: name)
        if let locked = try lock(name, at: path, now: now) { return locked }
        guard !deadline.hasPassed else { throw unreachedDaemon(of: name) }
        usleep(20_000)
    }
    return nil
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
        "process \($0.pid) (\(shown($0.name)))"
    }
    let who: Message =
        users.isEmpty ? "a process that the daemon cannot see" : users.joined(separator: ", ")
    printError(
        "\(shown(straggler.path)): locked, but \(who) was still using it;"
            + " its further writes are lost")
}

extension WorkspaceName {
    var json: JSONValue { .string(description) }
}
