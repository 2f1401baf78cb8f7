// `mount --name`: the user says which workspace a directory is. Makes settings and directory agree:
// the daemon refuses a directory whose manifest differs from the settings.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// What `--name` changes. To make one checks everything and changes nothing.
struct NamedMount {
    private let backing: ByteString
    private let found: WorkspaceManifest?
    private let manifest: WorkspaceManifest
    /// The settings have the directory already.
    private let isNoted: Bool

    init(of backing: ByteString, as name: WorkspaceName) throws {
        self.backing = backing
        let root = try openFile(backing, O_RDONLY | O_DIRECTORY)
        let places = Places.current
        if let other = places.workspace(at: root), other != name {
            throw Failure(
                .failure,
                "\(backing.shown) is the workspace '\(other)', by \(places.recordPath(of: other))",
                next: "mamctl mount --name \(other) \(backing.asArgument) MOUNTPOINT")
        }
        found = WorkspaceManifest(below: root)
        try Self.refuseIfServed(name, places)
        let record = places.record(of: name)
        isNoted = record?.isAt(root) == true
        let id =
            if let record, isNoted { record.id } else { try Self.id(found, record, name, backing) }
        manifest = WorkspaceManifest(name: name, id: id)
    }

    /// Makes settings and directory agree.
    func settle() throws {
        if !isNoted { try note() }
        if found != manifest { try manifest.write(to: backing) }
    }

    private func note() throws {
        let configuration = WorkspaceConfiguration(of: manifest.name)
        if !configuration.exists {
            try configuration.create(settings: try readSettings(nil))
            printError("mamctl: '\(manifest.name)' has new settings and the default policy")
        }
        let place = backing.resolved ?? backing
        try configuration.note(manifest.id, at: place)
        UnitNames(of: manifest.name).follow(diskOf: place)
    }

    /// Refuses to change the settings of a running daemon, which holds a lock on its state
    /// directory: it would not find its backing directory at its next start.
    private static func refuseIfServed(
        _ name: WorkspaceName, _ places: Places
    ) throws(Failure) {
        guard places.isServed(name) else { return }
        throw Failure(
            .failure, "another daemon serves '\(name)' now",
            next: "mamctl unmount MOUNTPOINT; mamctl status shows where")
    }

    /// The id of a directory that the settings do not have, from its manifest.
    private static func id(
        _ found: WorkspaceManifest?, _ record: WorkspaceRecord?, _ name: WorkspaceName,
        _ backing: ByteString
    ) throws(Failure) -> Bytes16 {
        guard let found else {
            throw Failure(
                .notFound, "\(backing.shown) is not a workspace",
                next: "mamctl init \(backing.asArgument)")
        }
        if let record, record.id != found.id {
            throw Failure(
                .failure, "'\(name)' is another workspace here, at \(record.backing.shown)",
                next: "mamctl mount --name OTHER \(backing.asArgument) MOUNTPOINT")
        }
        if record == nil { try refuseIfMoved(found.id, name, backing) }
        return found.id
    }

    /// Under a new name a workspace that has moved would be without its settings and keys. A copy
    /// beside it may have one.
    private static func refuseIfMoved(
        _ id: Bytes16, _ name: WorkspaceName, _ backing: ByteString
    ) throws(Failure) {
        guard let old = Places.current.missingWorkspace(withID: id) else { return }
        throw Failure(
            .failure, "\(backing.shown) is the workspace '\(old)', which was moved",
            next: "mamctl mount --name \(old) \(backing.asArgument) MOUNTPOINT; to rename it, while"
                + " it is not mounted: mamctl workspace rename \(old) \(name)")
    }
}
