// `open`: opens files of a workspace with contained programs.

internal import Glibc
internal import MAMCommandLine
internal import MAMDesktop
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// Nothing is started unless there is a program for each file.
func openContained(_ invocation: Invocation) throws -> ExitStatus {
    let finder = ProgramFinder(.current)
    let openings = try invocation.operands.map { path in
        let file = try WorkspaceFile(path, invocation)
        let type = try finder.type(of: file)
        return Opening(file: file, type: type, program: try finder.program(for: type, file.owner))
    }
    let runs = try Opening.grouped(openings).flatMap { try $0.runs() }
    if openings.contains(where: \.program.needsTerminal) {
        return try runOnTerminal(runs, openings)
    }
    for run in runs { try start(run) }
    if invocation.isJSON { printJSON(.array(openings.map(\.json))) }
    return .success
}

/// A command line of `mamctl run`.
private struct Run {
    let invocation: Invocation
    /// Where the program wants to be; nil for here.
    let directory: ByteString?

    func enterDirectory() throws(Failure) {
        guard let directory else { return }
        _ = try naming(directory, retrying { chdir(directory.cString) })
    }
}

private func start(_ run: Run) throws {
    try run.enterDirectory()
    let all = Array(STDIN_FILENO...STDERR_FILENO)
    let supervisor = try containedCommand(run.invocation) { _ in all }
    do throws(Errno) { try supervisor.leave() } catch {
        throw Failure(run.invocation.operands[0], error)
    }
}

/// A program for terminals, such as an editor, gets the one that is here, and this process ends as
/// it does.
private func runOnTerminal(_ runs: [Run], _ openings: [Opening]) throws -> ExitStatus {
    guard runs.count == 1, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
        let program = openings[0].program.id
        throw Failure(
            .failure, "\(program.shown) needs a terminal of its own",
            next: "on a terminal, with one file: mamctl open \(openings[0].file.path.asArgument)")
    }
    try runs[0].enterDirectory()
    return try runContained(runs[0].invocation)
}

/// A file in a workspace, and for whom a program opens it.
struct WorkspaceFile {
    /// Without links.
    let path: ByteString
    let isDirectory: Bool
    let owner: Launcher.Owner

    /// Refuses a file outside all workspaces.
    fileprivate init(_ word: ByteString, _ invocation: Invocation) throws {
        let file = try openFile(word, openPathOnly)
        guard let name = workspace(of: file) else {
            throw Failure(
                .notManaged, "\(word.shown) is in no workspace", next: "xdg-open \(word.asArgument)"
            )
        }
        let mode = try naming(word, status(of: file.raw).st_mode)
        isDirectory = mode & S_IFMT == S_IFDIR
        path = word.resolved ?? word
        let facts = try invocation.facts(of: path, orDirectory: true)
        let account =
            try invocation.arguments.text("account")
            ?? (facts.isManaged && !facts.owner.isNobody ? facts.owner.description : nil)
        let daemon = try Daemon(of: name, servingMountOf: file)
        let told = try daemon.containment(of: account)
        owner = Launcher.Owner(
            workspace: ByteString(name.description), account: ByteString(told.account))
    }
}

/// Files that a program opens.
private struct Opening {
    let file: WorkspaceFile
    let type: ByteString
    let program: DesktopEntry
    var paths: [ByteString] = []

    /// One for each program and account, with all its files.
    static func grouped(_ openings: [Opening]) -> [Opening] {
        var groups: [Opening] = []
        for opening in openings {
            let known = groups.firstIndex {
                $0.program.path == opening.program.path && $0.file.owner == opening.file.owner
            }
            let number = known ?? groups.count
            if known == nil { groups.append(opening) }
            groups[number].paths.append(opening.file.path)
        }
        return groups
    }

    /// The command lines of `mamctl run`.
    func runs() throws(Failure) -> [Run] {
        guard let commands = program.commands(opening: paths) else {
            throw Failure(.failure, "\(program.path.shown) has no command line that can be read")
        }
        let isLauncher = Launcher(program) != nil
        return try commands.map { command throws(Failure) in
            Run(
                invocation: try invocation(isLauncher ? command : start + command),
                directory: program.value("Path").flatMap { $0.bytes.isEmpty ? nil : $0 })
        }
    }

    private var start: [ByteString] {
        ["mamctl", "run", "--contained", "--workspace"].map { ByteString($0) }
            + [file.owner.workspace, ByteString("--account"), file.owner.account, ByteString("--")]
    }

    /// A launcher's own options hold here too, such as a `--network` that somebody added.
    private func invocation(_ words: [ByteString]) throws(Failure) -> Invocation {
        let verb = runVerbs[0]
        let isOurs =
            words.count > 2 && words[0].lastComponent.text == "mamctl"
            && words[1].text == verb.name
        // The launchers for all users name no account.
        let account =
            Launcher(program)?.owner.account.bytes.isEmpty == true
            ? [ByteString("--account"), file.owner.account] : []
        let own = isOurs ? try verb.parsed((account + words[2...])[...]) : nil
        guard let own, own.arguments.has("contained") else {
            throw Failure(
                .failure,
                "\(program.path.shown) does not start its program with"
                    + " mamctl run --contained any more",
                next: "mamctl contain install \(Launcher(program)?.app.asArgument ?? "APP")")
        }
        return own
    }

    var json: JSONValue {
        let launcher = Launcher(program)
        return [
            "path": .string(file.path.wireText), "type": .string(type.wireText),
            "app": .string((launcher?.app ?? program.id).wireText),
            "launcher": .bool(launcher != nil),
            "workspace": .string(file.owner.workspace.wireText),
            "account": .string(file.owner.account.wireText),
        ]
    }
}
