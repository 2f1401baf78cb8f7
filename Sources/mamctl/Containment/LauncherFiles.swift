// The files of launchers, among the desktop entries of the user or of all users.

internal import Glibc
internal import MAMCommandLine
internal import MAMDesktop
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// The launchers that are installed.
struct LauncherFiles {
    private let places: DesktopPlaces

    init(_ places: DesktopPlaces) { self.places = places }

    /// Those that stand in place of ordinary entries are for all users if root writes them.
    private var shadowDirectory: ByteString {
        geteuid() == 0 ? places.sharedApplications : places.ownApplications
    }

    private var directories: [ByteString] {
        let own = places.ownApplications
        let shared = places.sharedApplications
        return own == shared ? [own] : [own, shared]
    }

    func isOwn(_ launcher: Launcher) -> Bool {
        launcher.entry.path.directory == shadowDirectory
    }

    /// Root's are out of others' reach: they count only where there is no other.
    func reachable(_ launchers: [Launcher]) -> [Launcher] {
        let own = launchers.filter { $0.entry.path.directory == places.ownApplications }
        return geteuid() == 0 || own.isEmpty ? launchers : own
    }

    var all: [Launcher] {
        directories.flatMap { launchers(in: $0) }
    }

    private func launchers(in directory: ByteString) -> [Launcher] {
        ((try? entries(of: directory)) ?? []).compactMap { name in
            DesktopEntries.id(ofFile: name)
                .flatMap { DesktopEntries.entry($0, at: directory.appending(name)) }
                .flatMap(Launcher.init)
        }.sorted { $0.entry.id.bytes.lexicographicallyPrecedes($1.entry.id.bytes) }
    }

    /// Where the launcher is to be: the first place that no other account's has. Refuses to replace
    /// a file that is not the same launcher.
    func place(of app: ByteString, _ owner: Launcher.Owner) throws(Failure) -> ByteString {
        let paths = Launcher.fileNames(app: app, owner).map(places.ownApplications.appending)
        var other: Launcher?
        for path in paths {
            guard let found = try launcher(at: path) else { return path }
            if found.app == app, found.owner == owner { return path }
            other = found
        }
        throw Self.taken(other, paths[0])
    }

    /// Where the launcher is to be that hides an entry. Refuses to replace any other file, such as
    /// an entry that a person has made.
    func shadow(of app: ByteString, _ owner: Launcher.Owner) throws(Failure) -> ByteString {
        let path = shadowDirectory.appending(Launcher.shadowName(app: app))
        if let found = try launcher(at: path), found.owner != owner {
            throw Self.taken(found, path)
        }
        return path
    }

    /// Nil if there is no file.
    private func launcher(at path: ByteString) throws(Failure) -> Launcher? {
        guard access(path.cString, F_OK) == 0 else { return nil }
        let id = DesktopEntries.id(ofFile: path.lastComponent)
        guard let found = id.flatMap({ DesktopEntries.entry($0, at: path) }).flatMap(Launcher.init)
        else {
            throw Failure(
                .failure, "\(path.shown) exists, and is no launcher of mamctl's",
                next: "move it away")
        }
        return found
    }

    private static func taken(_ other: Launcher?, _ path: ByteString) -> Failure {
        let app = other?.app.shown ?? ""
        return Failure(
            .failure, "\(path.shown) starts \(app) for \(other?.whose ?? "")",
            next: other.map {
                "mamctl contain remove \($0.app.asArgument)"
                    + " --workspace \($0.owner.workspace.asArgument)"
            })
    }

    func write(_ file: KeyFile, to path: ByteString) throws(Failure) {
        let isForAll = path.directory == places.sharedApplications
        try replaceWhole(path, with: file.bytes, directoryMode: isForAll ? 0o755 : 0o700)
    }

    func remove(_ launcher: Launcher) throws(Failure) {
        let path = launcher.entry.path
        _ = try naming(path, retrying { unlink(path.cString) })
    }

    /// Changes what the desktop opens files with.
    func changeDefaults(_ change: (inout KeyFile) -> Void) throws(Failure) {
        // Where it is a link, as some keep their settings elsewhere.
        let path = places.ownDefaults.resolved ?? places.ownDefaults
        let isThere = access(path.cString, F_OK) == 0
        let old = try naming(
            path, isThere ? try readSmallFile(path.cString, maximumByteCount: 1 << 20) : [])
        var file = KeyFile(parsing: old)
        change(&file)
        if file != KeyFile(parsing: old) { try replaceWhole(path, with: file.bytes) }
    }

    /// Desktops find the programs for a type in a cache.
    func tellDesktop() {
        for directory in directories where access(directory.cString, W_OK) == 0 {
            _ = output(of: [ByteString("update-desktop-database"), ByteString("-q"), directory])
        }
    }
}

extension Launcher {
    /// For messages.
    var whose: Message {
        owner.account.bytes.isEmpty ? "everybody" : .verbatim(owner.account.shown)
    }
}

/// Writes the file beside its place and renames it, readable for all as others of its kind.
private func replaceWhole(
    _ path: ByteString, with content: [UInt8], directoryMode: mode_t = 0o700
) throws(Failure) {
    try makeParents(of: path, mode: directoryMode)
    let file = try NewFile(for: path, replacing: true)
    try file.write(content)
    try file.finish(mode: 0o644)
}

private func makeParents(of path: ByteString, mode: mode_t) throws(Failure) {
    let parent = path.directory
    guard access(parent.cString, F_OK) != 0, parent != path else { return }
    try makeParents(of: parent, mode: mode)
    try makeDirectory(parent, mode: mode)
}
