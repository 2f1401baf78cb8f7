// `contain install --managed`: the ordinary launchers of managed programs start them contained.

internal import Glibc
internal import MAMCommandLine
internal import MAMDesktop
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// Hides each desktop entry of a program of the setting ManagedPrograms behind a launcher of the
/// same name. Root does it for all users. Nothing is written unless all can be.
func installManaged(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let managed = try ManagedPrograms(of: daemon)
    let places = DesktopPlaces.current
    let programs = DesktopEntries(in: places).ordinaryPrograms.filter(managed.contain)
    guard !programs.isEmpty else {
        throw Failure(
            .notFound, "no desktop entry starts a program of ManagedPrograms: \(managed.words)",
            next: "mamctl contain install APP")
    }
    let owner = try managedOwner(invocation, daemon)
    let files = LauncherFiles(places)
    let drafts = try programs.map { program in
        (try files.shadow(of: program.id, owner), try contained(program, owner))
    }
    let installed = try write(drafts, files)
    files.tellDesktop()
    report(installed, "installed", isJSON: invocation.isJSON)
    return .success
}

/// Those of root serve everybody, each for the own account, unless root names one.
private func managedOwner(
    _ invocation: Invocation, _ daemon: Daemon
) throws(Failure) -> Launcher.Owner {
    guard geteuid() == 0, !invocation.arguments.has("account") else {
        return try launcherOwner(invocation, daemon)
    }
    return Launcher.Owner(
        workspace: ByteString(daemon.name.description), account: ByteString(""))
}

/// The setting ManagedPrograms.
private struct ManagedPrograms {
    private let paths: [ByteString]
    private let files: Set<ByteString>

    init(of daemon: Daemon) throws(Failure) {
        let told = try daemon.call(Varlink.Policy.ManagedPrograms(), about: "ManagedPrograms")
        paths = told.programs.map { ByteString($0) }
        files = Set(paths + paths.compactMap(\.resolved))
    }

    /// By the path that the entry has, or the file that it leads to.
    func contain(_ entry: DesktopEntry) -> Bool {
        guard let program = entry.program else { return false }
        return files.contains(program) || program.resolved.map(files.contains) == true
    }

    var words: Message {
        paths.isEmpty ? "it names none" : .verbatim(paths.map(\.shown).joined(separator: ", "))
    }
}

extension LauncherFiles {
    /// The launchers in place of ordinary entries that this user installs; everybody's are root's.
    func replacing(_ launchers: [Launcher]) throws(Failure) -> [Launcher] {
        let found = launchers.filter { $0.isShadow && isOwn($0) }
        guard !found.isEmpty else {
            throw Failure(
                .notFound, "no launcher stands in place of an ordinary one",
                next: "mamctl contain list")
        }
        return found
    }
}

/// Whether `--managed` is given, without which there must be operands.
func meansManaged(_ invocation: Invocation) throws(Failure) -> Bool {
    let hasPrograms = !invocation.operands.isEmpty
    guard invocation.arguments.has("managed") else {
        if hasPrograms { return false }
        throw invocation.misuse("APP or --managed is missing")
    }
    guard !hasPrograms, !invocation.arguments.has("default") else {
        throw invocation.misuse("--managed takes neither APP nor --default")
    }
    return true
}
