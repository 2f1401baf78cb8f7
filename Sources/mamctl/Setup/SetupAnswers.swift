// What `setup` has to know: from options, else from questions on a terminal, else a default.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// Where the workspace is.
struct SetupAnswers {
    let mountPoint: ByteString
    let backing: ByteString
    let name: WorkspaceName

    init(_ invocation: Invocation) throws {
        let (operands, options) = (invocation.operands, invocation.arguments)
        let home = SetupDefaults.home
        mountPoint = try path(
            operands.first ?? ask("Where", home.appending("Work")), below: home)
        let usual = try Self.name(options.value("name"), mountPoint)
        backing =
            try options.value("backing").map { given throws(Failure) in
                try path(given, below: home)
            } ?? Self.backing(of: usual, mountPoint, home)
        name = options.has("name") ? usual : Self.workspace(at: backing) ?? usual
    }

    private static func name(
        _ given: ByteString?, _ mountPoint: ByteString
    ) throws(Failure) -> WorkspaceName {
        if let given { return try workspaceName(given) }
        return try workspaceName(ByteString(mountPoint.lastComponent.shown.lowercased()))
    }

    /// Where the workspace of that name is, else beside the mount point, with a dot and in lower
    /// case, as workspaces are called; what is there in another case is taken.
    private static func backing(
        of name: WorkspaceName, _ mountPoint: ByteString, _ home: ByteString
    ) throws(Failure) -> ByteString {
        if let known = Places.current.record(of: name)?.backing {
            // One that is missing is named later.
            return known.directory.resolved == nil ? known : try path(known, below: home)
        }
        let last = mountPoint.lastComponent.bytes
        let lower = last.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let places = [lower, last].map {
            mountPoint.directory.appending(ByteString(Array(".".utf8) + $0))
        }
        return places.first { access($0.cString, F_OK) == 0 } ?? places[0]
    }

    /// The workspace that the settings here have at a backing directory.
    private static func workspace(at backing: ByteString) -> WorkspaceName? {
        (try? openFile(backing.cString, O_RDONLY | O_DIRECTORY))
            .flatMap { Places.current.workspace(at: $0) }
    }
}

/// Whose account is opened, and where a copy of its keys is.
struct SetupAccountAnswers {
    let name: String
    /// Nil for none.
    let recoveryFile: ByteString?
    let passphrases: SetupPassphrases

    /// `daemon`: nil before a new workspace is made.
    init(
        _ invocation: Invocation, in workspace: SetupAnswers, servedBy daemon: Daemon?
    ) throws {
        let given = invocation.operands.count > 1 ? invocation.operands[1] : nil
        name = try
            (given ?? ask("Account", ByteString(SetupDefaults.account(of: workspace, daemon))))
            .requireNewName()
        let home = SetupDefaults.home
        recoveryFile = try Self.recoveryFile(
            invocation.arguments, home.appending("\(workspace.name).keys"), home)
        passphrases = SetupPassphrases(invocation, of: name)
    }

    /// Without a terminal only what was asked for: its passphrase may be the next line of input.
    private static func recoveryFile(
        _ options: Arguments, _ usual: ByteString, _ home: ByteString
    ) throws -> ByteString? {
        if options.has("no-recovery") { return nil }
        if let given = options.value("recovery") { return try path(given, below: home) }
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        let answer = try ask("Recovery file, - for none", usual)
        return answer.text == "-" ? nil : try path(answer, below: home)
    }
}

enum SetupDefaults {
    static var home: ByteString {
        guard geteuid() != 0 else { return ByteString("/srv") }
        return getenv("HOME").map { ByteString(cString: $0) } ?? ByteString("/")
    }

    /// The one that is there, or that a copy's files are sealed for: another's keys would not open
    /// them, and settings may allow only one. Else as the shell's prompt has it.
    static func account(of workspace: SetupAnswers, _ daemon: Daemon?) throws -> String {
        let own = try daemon?.status().accounts.first { $0.uid == geteuid() }?.name
        guard let known = own ?? owner(ofFilesIn: workspace.backing), !known.isEmpty else {
            return account
        }
        return known
    }

    private static func owner(ofFilesIn backing: ByteString) -> String? {
        guard let directory = try? openFile(backing.cString, O_RDONLY | O_DIRECTORY),
            WorkspaceManifest(below: directory) != nil
        else { return nil }
        return sealedOwner(below: directory)?.name
    }

    private static var account: String {
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
        return "\(user ?? "user")@\(host.shown)"
    }

    static var host: ByteString {
        var host = [CChar](repeating: 0, count: 256)
        gethostname(&host, host.count - 1)
        return ByteString(cString: host)
    }
}

/// An empty answer is the default, which is also what counts without a terminal.
func ask(_ question: Message, _ usual: ByteString) throws -> ByteString {
    guard isatty(STDIN_FILENO) == 1 else { return usual }
    let answer = try Terminal.askOpenly("\(question) [\(usual.shown)]")
    return answer.bytes.isEmpty ? usual : answer
}

/// Without slashes at the end; `~/` counts on a terminal, where no shell replaces it.
func typedPath(_ given: ByteString, below home: ByteString) -> ByteString {
    let path = given.withoutTrailingSlashes
    guard path.bytes.starts(with: Array("~/".utf8)) else { return path }
    return home.appending(ByteString(Array(path.bytes.dropFirst(2))))
}

/// An absolute path that a unit can have.
func path(_ given: ByteString, below home: ByteString) throws(Failure) -> ByteString {
    let path = typedPath(given, below: home)
    let parent = path.directory
    guard !path.bytes.isEmpty, let directory = parent.resolved else {
        throw Failure(parent, path.bytes.isEmpty ? .noEntry : .current)
    }
    let place = directory.appending(path.lastComponent)
    try requireUnitPath(place)
    return place
}
