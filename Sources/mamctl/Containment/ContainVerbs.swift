// `contain install`, `contain list` and `contain remove`.

internal import MAMCommandLine
internal import MAMDesktop
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

extension Option {
    fileprivate static let account = Option(
        "account", value: "UPN", "the account that the programs act for")
}

let containVerbs: [Verb] = [
    Verb(
        name: "contain install",
        summary: "Add launchers to the desktop that start programs contained",
        usage: [.many("APP", or: "--managed", isRequired: false), ["--account"], ["--default"]],
        options: [
            .account,
            Option("managed", "in place of the ordinary ones, for all programs of ManagedPrograms"),
            Option(
                "default", "make them the first choice for all files of their types, everywhere"),
            .workspace,
        ],
        examples: [
            "mamctl contain install libreoffice-writer org.gnome.Evince",
            "mamctl contain install org.gnome.Evince --account ann@contoso.com --default",
            "mamctl contain install --managed",
        ],
        statuses: daemonStatuses + [.refused], run: installLaunchers),
    Verb(
        name: "contain list", summary: "List the launchers of contained programs",
        usage: [["--account"]], options: [.account, .workspace],
        examples: ["mamctl contain list", "mamctl contain list --json --workspace work"],
        statuses: [.success, .usage], run: listLaunchers),
    Verb(
        name: "contain remove", summary: "Remove launchers of contained programs",
        usage: [.many("APP", or: "--managed", isRequired: false), ["--account"]],
        options: [
            .account,
            Option("managed", "all that stand in place of ordinary launchers"),
            .workspace,
        ],
        examples: [
            "mamctl contain remove libreoffice-writer",
            "mamctl contain remove org.gnome.Evince --workspace work",
        ],
        statuses: [.success, .failure, .usage, .notFound], run: removeLaunchers),
    Verb(
        name: "open", summary: "Open files of a workspace with a contained program",
        usage: [.many("FILE"), ["--account"]], options: [.account, .workspace],
        examples: ["mamctl open ~/Work/plan.odt", "mamctl open ~/Work/*.pdf"],
        statuses: daemonStatuses + [.notManaged, .refused], run: openContained),
]

/// Nothing is written unless all of them can be.
func installLaunchers(_ invocation: Invocation) throws -> ExitStatus {
    if try meansManaged(invocation) { return try installManaged(invocation) }
    let places = DesktopPlaces.current
    let entries = DesktopEntries(in: places)
    let programs = try invocation.operands.map { try entries.program($0) }
    let owner = try launcherOwner(invocation, invocation.daemon())
    let files = LauncherFiles(places)
    let drafts = try programs.map { program in
        (try files.place(of: program.id, owner), try contained(program, owner))
    }
    let installed = try write(drafts, files)
    if invocation.arguments.has("default") { try files.makeDefault(installed) }
    files.tellDesktop()
    report(installed, "installed", isJSON: invocation.isJSON)
    return .success
}

/// Whose launchers a call installs.
func launcherOwner(
    _ invocation: Invocation, _ daemon: Daemon
) throws(Failure) -> Launcher.Owner {
    let told = try daemon.containment(of: try invocation.arguments.text("account"))
    return Launcher.Owner(
        workspace: ByteString(daemon.name.description), account: ByteString(told.account))
}

/// Returns them as the desktop sees them.
func write(
    _ drafts: [(path: ByteString, file: KeyFile)], _ files: LauncherFiles
) throws(Failure) -> [Launcher] {
    for (path, file) in drafts { try files.write(file, to: path) }
    let all = files.all
    return drafts.compactMap { draft in all.first { $0.entry.path == draft.path } }
}

func contained(
    _ program: DesktopEntry, _ owner: Launcher.Owner
) throws(Failure) -> KeyFile {
    guard let file = Launcher.file(for: program, owner) else {
        throw Failure(
            .failure,
            "\(program.path.shown) has no command line: only the session bus can start"
                + " \(program.id.shown), outside")
    }
    return file
}

func listLaunchers(_ invocation: Invocation) throws -> ExitStatus {
    let found = chosen(among: LauncherFiles(.current).all, invocation.arguments)
    return invocation.answer(
        .array(found.map(\.json)),
        words: found.isEmpty
            ? "no launchers; install one: mamctl contain install APP"
            : .verbatim(table(found.map(\.row))))
}

/// Nothing is removed unless all of them are there.
func removeLaunchers(_ invocation: Invocation) throws -> ExitStatus {
    let files = LauncherFiles(.current)
    let installed = chosen(among: files.all, invocation.arguments)
    let unwanted =
        try meansManaged(invocation)
        ? files.replacing(installed)
        : invocation.operands.flatMap { try launchers(of: $0, among: installed, files) }
    // The others have the names of ordinary entries, which may go on being defaults.
    let names = unwanted.filter { !$0.isShadow }.map(\.entry.path.lastComponent)
    for launcher in unwanted { try files.remove(launcher) }
    try files.changeDefaults { defaults in
        for name in names { defaults.dropDefault(name) }
    }
    files.tellDesktop()
    report(unwanted, "removed", isJSON: invocation.isJSON)
    return .success
}

/// One, or two of the same account, of which one stands in place of the ordinary entry.
private func launchers(
    of word: ByteString, among installed: [Launcher], _ files: LauncherFiles
) throws(Failure) -> [Launcher] {
    let app = word.asDesktopID
    let found = files.reachable(installed.filter { $0.app == app || $0.entry.id == app })
    guard let first = found.first else {
        let guess = didYouMean(app.shown, in: installed.map(\.app.shown))
        throw Failure(
            .notFound,
            installed.isEmpty
                ? "no launcher is installed" : "no launcher of '\(app.shown)'\(guess)",
            next: installed.isEmpty ? "mamctl contain install APP" : "mamctl contain list")
    }
    guard found.allSatisfy({ $0.owner == first.owner }) else {
        let owners: [Message] = found.map { "\($0.whose) of \($0.owner.workspace.shown)" }
        throw Failure(
            .usage, "\(app.shown) has several launchers: for \(owners.joined(separator: ", "))",
            next: "add --workspace NAME or --account UPN")
    }
    return found
}

/// Those of `--workspace` and `--account`.
private func chosen(among launchers: [Launcher], _ arguments: Arguments) -> [Launcher] {
    launchers.filter { launcher in
        [("workspace", launcher.owner.workspace), ("account", launcher.owner.account)]
            .allSatisfy { name, value in arguments.value(name).map { $0 == value } ?? true }
    }
}

func report(_ launchers: [Launcher], _ what: Message, isJSON: Bool) {
    if isJSON { return printJSON(.array(launchers.map(\.json))) }
    for launcher in launchers { printOut("\(launcher.entry.path.shown): \(what)") }
}

extension LauncherFiles {
    /// The first of several counts most.
    fileprivate func makeDefault(_ launchers: [Launcher]) throws(Failure) {
        try changeDefaults { defaults in
            for launcher in launchers.reversed() {
                defaults.makeDefault(launcher.entry.path.lastComponent, for: launcher.entry.types)
            }
        }
    }
}

extension DesktopEntries {
    /// The entry of the name, which may end with `.desktop`.
    fileprivate func program(_ word: ByteString) throws(Failure) -> DesktopEntry {
        let id = word.asDesktopID
        // Where a launcher hides it, the entry beneath is meant.
        let first = entry(id)
        let found = first.flatMap { Launcher($0)?.isShadow == true ? ordinary(id) : $0 }
        guard let found, found.isProgram else {
            let names = ordinaryPrograms.map(\.id.shown)
            throw Failure(
                .notFound,
                "there is no desktop entry '\(id.shown)'\(didYouMean(id.shown, in: names))",
                next: "ls /usr/share/applications")
        }
        guard Launcher(found) == nil else {
            throw Failure(.failure, "\(id.shown) is a launcher of a contained program itself")
        }
        return found
    }
}

extension ByteString {
    fileprivate var asDesktopID: ByteString { DesktopEntries.id(ofFile: self) ?? self }
}

extension Launcher {
    fileprivate var row: [Message] {
        [
            .verbatim(app.shown), .verbatim(owner.workspace.shown), whose,
            .verbatim(entry.path.shown),
        ]
    }

    fileprivate var json: JSONValue {
        [
            "app": .string(app.wireText), "name": .string(entry.name.wireText),
            "workspace": .string(owner.workspace.wireText),
            "account": .string(owner.account.wireText),
            "path": .string(entry.path.wireText),
            "types": .array(entry.types.map { .string($0.wireText) }),
            "managed": .bool(isShadow),
        ]
    }
}
