// `mount --name`: the user says which workspace a directory is. Makes settings and directory agree:
// the daemon refuses a directory whose manifest differs from the settings.

internal import Glibc
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire
internal import MAMWords

func settle(_ backing: ByteString, as name: WorkspaceName) throws {
    let root = try naming(backing) { () throws(Errno) in
        try openFile(backing.cString, O_RDONLY | O_DIRECTORY)
    }
    let places = Places.current
    if let other = places.workspace(at: root), other != name {
        throw Failure(
            .failure,
            "\(backing.shown) is the workspace '\(other)', by \(places.recordPath(of: other))",
            next: "mamctl mount --name \(other) \(backing.asArgument) MOUNTPOINT")
    }
    let found = (try? openOwnDirectory(of: root)).flatMap { try? WorkspaceManifest(in: $0) }
    try refuseIfServed(name, places)
    let id = try id(of: name, places.record(of: name), root, found, backing)
    let manifest = WorkspaceManifest(name: name, id: id)
    if found != manifest { try manifest.write(to: backing) }
}

/// Refuses to change the settings of a running daemon, which holds a lock on its state directory:
/// it would not find its backing directory at its next start.
private func refuseIfServed(_ name: WorkspaceName, _ places: Places) throws(Failure) {
    guard places.isServed(name) else { return }
    throw Failure(
        .failure, "another daemon serves '\(name)' now",
        next: "mamctl unmount MOUNTPOINT; mamctl status shows where")
}

/// The workspace's id: from the settings if they name this directory, else from its manifest.
private func id(
    of name: WorkspaceName, _ record: WorkspaceRecord?, _ root: Descriptor,
    _ found: WorkspaceManifest?, _ backing: ByteString
) throws -> Bytes16 {
    if let record, record.isAt(root) { return record.id }
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
    let configuration = WorkspaceConfiguration(of: name)
    if !configuration.exists {
        try configuration.create(settings: try readSettings(nil))
        printError("mamctl: '\(name)' has new settings and the default policy")
    }
    let place = backing.resolved ?? backing
    try configuration.note(found.id, at: place)
    UnitNames(of: name).follow(diskOf: place)
    return found.id
}
