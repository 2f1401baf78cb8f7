// `leave`: all that the caller can open of a workspace becomes ordinary files elsewhere.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

func leaveWorkspace(_ invocation: Invocation) throws -> ExitStatus {
    let source = try LeftDirectory(invocation.operands[0])
    let destination = try LeavingPlace(invocation.operands[1], apartFrom: source)
    let copy = LeavingCopy(invocation, of: source, into: destination)
    try copy.run()
    if invocation.isJSON {
        printJSON(copy.json)
    } else {
        copy.summary.forEach(printOut)
    }
    return copy.exitStatus
}

/// The directory that is left.
struct LeftDirectory {
    let path: ByteString
    let root: Descriptor
    /// Without links.
    let place: ByteString
    /// Whose directory it is, or is below; nil if it is no workspace's, or no more.
    let workspace: WorkspaceName?

    init(_ path: ByteString) throws(Failure) {
        self.path = path
        let root = try openFile(path, O_RDONLY | O_DIRECTORY)
        self.root = root
        if let name = workspaceMount(of: root)?.name { throw Self.isShown(path, name, root) }
        place = try naming(path, currentPath(of: root.raw))
        workspace = BackingPlace(around: root)?.name
    }

    /// What programs have written so far must be on the disk, although they have it open.
    func synchronize() {
        guard let workspace, (try? Daemon(of: workspace).status()) != nil,
            let mountPoint = liveMount(of: workspace),
            let shown = try? openFile(mountPoint.cString, O_RDONLY | O_DIRECTORY)
        else { return }
        try? synchronizeFileSystem(of: shown.raw)
    }

    /// Files in the mount have no holes, modes and links but those that the daemon shows, and a
    /// copy from there would ask nobody whether content may become plain.
    private static func isShown(
        _ path: ByteString, _ name: WorkspaceName, _ root: Descriptor
    ) -> Failure {
        let backing = try? Daemon(of: name, servingMountOf: root).status().backingDirectory
        let shown = backing.map { ByteString($0).asArgument } ?? "BACKING"
        return Failure(
            .failure, "\(path.shown) is in the mounted workspace '\(name)'",
            next: "mamctl leave \(shown) DEST")
    }
}

extension Daemon {
    convenience init(of name: WorkspaceName) throws(Failure) {
        try self.init(of: name, at: Places.current.existingSocket(of: name))
    }
}
