// Removes a workspace from this machine. Opens each directory without following links and removes
// its content through the descriptor, so that users who can write nearby cannot redirect the
// removal.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// A pending removal. No daemon can serve the workspace while it exists.
struct WorkspaceRemoval {
    /// Nil if the backing directory is not accessible, as on an unplugged disk.
    let files: FileCounts?
    let hasKeys: Bool
    private let workspace: IdleWorkspace

    init(of name: WorkspaceName) throws(Failure) {
        if let rename = UnfinishedRename(with: name) { throw rename.failure }
        workspace = try IdleWorkspace(of: name)
        hasKeys = workspace.state.map { Self.isFilled("keybags", of: $0) } ?? false
        files = workspace.root.map { FileCounts(below: $0) }
        try checkWritable()
    }

    var name: WorkspaceName { workspace.name }
    var backing: ByteString? { workspace.backing }
    private var root: Descriptor? { workspace.root }
    private var state: Descriptor? { workspace.state }
    private var configuration: Descriptor? { workspace.configuration }

    private static func isFilled(_ name: String, of directory: Descriptor) -> Bool {
        guard let inner = try? openFile(at: directory.raw, name, directoryFlags) else {
            return false
        }
        return (try? entries(of: inner.raw).isEmpty) != true
    }

    /// Returns what is left of `.mamd`, which the user may want. Removes the settings last: they
    /// say where the rest is, so a failed removal can be repeated.
    func run() throws(Failure) -> [ByteString] {
        try remove(state, Places.current.state(of: name), erasing: true)
        // A killed daemon's.
        if let socket = Places.current.lastingSocket(of: name) { unlink(socket) }
        let left = try removeOwnDirectory()
        try remove(configuration, Places.current.configuration(of: name), erasing: false)
        return left
    }

    /// Before the state directory goes, which says what the directory's mode was. Returns its place
    /// if it was shut.
    func openMountPoint() throws(Failure) -> ByteString? {
        guard let point = Places.current.shutMountPoint(of: name) else { return nil }
        do throws(PathFailure) { try point.open() } catch {
            throw Failure(.failure, "\(point.place.shown): \(error)")
        }
        return point.place
    }

    /// What mounts and unlocks it at each login. Returns the commands that remain, as where no
    /// service manager answers.
    func removeUnits() throws(Failure) -> [String] {
        var remaining: [String] = []
        if let id = Places.current.record(of: name)?.id,
            let command = try DesktopKeyring(name: name, id: id).forget()
        {
            remaining.append(command)
        }
        return remaining + UnitNames(of: name).remove()
    }

    /// Checks permissions before removing the first key, so as not to fail half-way.
    private func checkWritable() throws(Failure) {
        try checkWritable(state, Places.current.state(of: name))
        try checkWritable(configuration, Places.current.configuration(of: name))
        guard let root, let backing, let own = try? openOwnDirectory(of: root) else { return }
        try checkWritable(own, "\(backing.shown)/.mamd")
    }

    private func checkWritable(_ directory: Descriptor?, _ path: String) throws(Failure) {
        guard let directory else { return }
        // "..": removing the directory itself.
        for place in [".", ".."] {
            guard faccessat(directory.raw, place, W_OK | X_OK, AT_EACCESS) == 0 else {
                throw Failure(ByteString(path), .current)
            }
        }
    }

    /// Keeps quarantine and recovery records.
    private func removeOwnDirectory() throws(Failure) -> [ByteString] {
        guard let root, let backing else { return [] }
        let place = backing.appending(".mamd")
        return try naming(place) { () throws(Errno) in
            let own = try openOwnDirectory(of: root)
            try removeFile(in: own.raw, named: WorkspaceManifest.fileName)
            try removeFile(in: own.raw, named: "lock")
            for name in try entries(of: own.raw) {
                // Only if it is empty.
                _ = unlinkat(own.raw, name.cString, AT_REMOVEDIR)
            }
            let left = try entries(of: own.raw)
            if left.isEmpty { _ = unlinkat(root.raw, ".mamd", AT_REMOVEDIR) }
            try synchronizeDirectory(root.raw)
            return left.map { ByteString(place.bytes + [UInt8(ascii: "/")] + $0.bytes) }
        }
    }

    private func remove(
        _ directory: Descriptor?, _ path: String, erasing: Bool
    ) throws(Failure) {
        guard let directory else { return }
        let path = ByteString(path)
        let parent = try naming(path) { () throws(Errno) in
            try removeTree(in: directory.raw, erasing: erasing)
            let parent = try openFile(path.directory.cString, O_RDONLY | O_DIRECTORY)
            _ = try retrying { unlinkat(parent.raw, path.lastComponent.cString, AT_REMOVEDIR) }
            return parent
        }
        do throws(Errno) { try synchronizeDirectory(parent.raw) } catch {
            throw Failure(
                .failure,
                "\(path.shown) is removed, but may be back after a power cut: \(error)",
                next: "check the disk: see dmesg")
        }
    }
}

private let directoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW

/// Empties a directory. `erasing`: overwrites keys first, unless they have other hard links, as in
/// a snapshot.
private func removeTree(in directory: Int32, erasing: Bool) throws(Errno) {
    for name in try entries(of: directory) {
        let status = try status(at: directory, name.cString)
        if status.st_mode & S_IFMT == S_IFDIR {
            let inner = try openFile(at: directory, name.cString, directoryFlags)
            try removeTree(in: inner.raw, erasing: erasing)
            _ = try retrying { unlinkat(directory, name.cString, AT_REMOVEDIR) }
        } else if erasing, status.st_nlink == 1, let text = name.text {
            try eraseFile(in: directory, named: text)
        } else {
            try removeFile(in: directory, named: name.cString)
        }
    }
}
