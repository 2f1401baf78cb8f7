// The files of launchers, among the user's desktop entries.

internal import Glibc
internal import MAMDesktop
internal import MAMSystem
internal import MAMWire

/// The launchers that are installed.
struct LauncherFiles {
    private let places: DesktopPlaces

    init(_ places: DesktopPlaces) { self.places = places }

    private var directory: ByteString { places.ownApplications }

    var all: [Launcher] {
        ((try? entries(of: directory)) ?? []).compactMap { name in
            DesktopEntries.id(ofFile: name)
                .flatMap { DesktopEntries.entry($0, at: directory.appending(name)) }
                .flatMap(Launcher.init)
        }.sorted { $0.entry.id.bytes.lexicographicallyPrecedes($1.entry.id.bytes) }
    }

    /// Where the launcher is to be. Refuses to replace a file that is not the same launcher.
    func place(of app: ByteString, _ owner: Launcher.Owner) throws(Failure) -> ByteString {
        let name = Launcher.fileName(app: app, owner)
        let path = directory.appending(name)
        guard access(path.cString, F_OK) == 0 else { return path }
        let found = DesktopEntries.entry(app, at: path).flatMap(Launcher.init)
        guard let found else {
            throw Failure(.failure, "\(path.shown) exists, and is no launcher of mamctl's")
        }
        guard found.app == app, found.owner == owner else {
            throw Failure(
                .failure,
                "\(path.shown) starts \(found.app.shown) for \(found.owner.account.shown)",
                next: "mamctl contain remove \(found.app.asArgument)"
                    + " --workspace \(found.owner.workspace.asArgument)")
        }
        return path
    }

    func write(_ file: KeyFile, to path: ByteString) throws(Failure) {
        try replaceWhole(path, with: file.bytes)
    }

    func remove(_ launcher: Launcher) throws(Failure) {
        let path = launcher.entry.path
        _ = try naming(path) { () throws(Errno) in try retrying { unlink(path.cString) } }
    }

    /// Changes what the desktop opens files with.
    func changeDefaults(_ change: (inout KeyFile) -> Void) throws(Failure) {
        // Where it is a link, as some keep their settings elsewhere.
        let path = places.ownDefaults.resolved ?? places.ownDefaults
        let isThere = access(path.cString, F_OK) == 0
        let old = try naming(path) { () throws(Errno) in
            isThere ? try readSmallFile(path.cString, maximumByteCount: 1 << 20) : []
        }
        var file = KeyFile(parsing: old)
        change(&file)
        if file != KeyFile(parsing: old) { try replaceWhole(path, with: file.bytes) }
    }

    /// Desktops find the programs for a type in a cache.
    func tellDesktop() {
        _ = output(of: [ByteString("update-desktop-database"), ByteString("-q"), directory])
    }
}

/// Writes the file beside its place and renames it, readable for all as others of its kind.
private func replaceWhole(_ path: ByteString, with content: [UInt8]) throws(Failure) {
    try makeDirectory(path.directory)
    let file = try NewFile(for: path, replacing: true)
    try naming(path) { () throws(Errno) in try writeAll(content, to: file.descriptor.raw) }
    var attributes = stat()
    attributes.st_mode = 0o644
    try file.finish(like: attributes)
}

/// With its parents.
private func makeDirectory(_ path: ByteString) throws(Failure) {
    guard access(path.cString, F_OK) != 0, path.directory != path else { return }
    try makeDirectory(path.directory)
    if mkdir(path.cString, 0o700) != 0, Errno.current != .exists {
        throw Failure(path, Errno.current)
    }
}
