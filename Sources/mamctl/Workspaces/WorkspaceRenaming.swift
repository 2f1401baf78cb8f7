// Gives a workspace another name. After each step either the old name works or the new one, and
// the same command goes on where it was interrupted.

internal import CShims
internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

struct WorkspaceRenaming {
    private let old: WorkspaceName
    private let new: WorkspaceName
    private let places = Places.current
    private let backing: ByteString
    private let id: Bytes16
    /// Held until the end.
    private let workspace: IdleWorkspace

    /// Checks everything before the first step, but goes on with what was begun.
    init(_ old: WorkspaceName, to new: WorkspaceName) throws(Failure) {
        (self.old, self.new) = (old, new)
        let places = Places.current
        for name in [old, new] {
            guard let other = UnfinishedRename(with: name) else { continue }
            guard other.old == old, other.new ?? new == new else { throw other.failure }
        }
        let isBegun =
            isMissing(places.configuration(of: old)) && !isMissing(places.configuration(of: new))
        var wasLinked = false
        if isBegun {
            wasLinked = try Self.finishState(old, new)
        } else {
            try Self.refuseInUse(old, new)
        }
        workspace = try IdleWorkspace(of: isBegun ? new : old)
        guard let record = places.record(of: workspace.name), let root = workspace.root,
            let backing = workspace.backing, let own = try? openOwnDirectory(of: root),
            let manifest = try? WorkspaceManifest(in: own)
        else { throw Self.unreachable(workspace) }
        guard !isBegun || wasLinked || manifest.name == old || Self.isLeft(of: old) else {
            throw Failure(
                .notFound, "there is no workspace '\(old)'", next: "mamctl workspace list")
        }
        (self.backing, id) = (backing, record.id)
        if !isBegun { try refusePolicies(naming: old, or: new) }
    }

    /// The directory or unit files that are renamed last.
    private static func isLeft(of old: WorkspaceName) -> Bool {
        !isMissing(fleetState(of: old)) || !UnitNames(of: old).enabled.isEmpty
    }

    private static func unreachable(_ workspace: IdleWorkspace) -> Failure {
        let place = workspace.backing?.shown ?? "its backing directory"
        return Failure(
            .failure,
            "workspace '\(workspace.name)': \(place) cannot be read, and has the name too",
            next: "attach its disk, or mamctl mount --name \(workspace.name) BACKING MOUNTPOINT")
    }

    private static func refuseInUse(
        _ old: WorkspaceName, _ new: WorkspaceName
    ) throws(Failure) {
        let places = Places.current
        let link = linkTarget(places.state(of: new))
        var taken = [places.configuration(of: new)]
        if link != "\(old)" { taken.append(places.state(of: new)) }
        for path in taken + [fleetState(of: new)] where !isMissing(path) {
            throw Failure(
                .failure, "the name '\(new)' is in use: \(path) exists",
                next: "use another name; mamctl workspace list shows those in use")
        }
    }

    func run() throws(Failure) {
        // While both names lead to the keys, it does not matter which one the settings have.
        try link()
        try move(places.configuration(of: old), to: places.configuration(of: new))
        try Self.finishState(old, new)
        try writeManifest()
        try move(fleetState(of: old), to: fleetState(of: new))
    }

    private func link() throws(Failure) {
        let path = places.state(of: new)
        guard !isMissing(places.state(of: old)), isMissing(path) else { return }
        guard symlink("\(old)", path) == 0 else { throw Failure(ByteString(path), .current) }
        try synchronizeParent(of: path)
    }

    /// Exchanges the link and the directory that it leads to, and removes the link. False if there
    /// was none.
    @discardableResult
    private static func finishState(
        _ old: WorkspaceName, _ new: WorkspaceName
    ) throws(Failure) -> Bool {
        let places = Places.current
        let (from, to) = (places.state(of: old), places.state(of: new))
        if linkTarget(to) == "\(old)" {
            guard mam_renameat2(workingDirectory, from, workingDirectory, to, exchange) == 0 else {
                let error = Errno.current
                guard [.invalid, .notImplemented, .notSupported].contains(error) else {
                    throw Failure(ByteString(from), error)
                }
                try undo(old, new)
                throw Failure(
                    .failure, "\(from): its file system cannot exchange two names; the name stays",
                    next: "keep the name, or move \(places.stateRoot) to another file system")
            }
            try synchronizeParent(of: to)
        }
        guard linkTarget(from) == "\(old)" else { return false }
        guard unlink(from) == 0 else { throw Failure(ByteString(from), .current) }
        try synchronizeParent(of: from)
        return true
    }

    /// Before the exchange the old name still works once the settings have it again.
    private static func undo(_ old: WorkspaceName, _ new: WorkspaceName) throws(Failure) {
        let places = Places.current
        try move(places.configuration(of: new), to: places.configuration(of: old))
        let link = places.state(of: new)
        guard unlink(link) == 0 else { throw Failure(ByteString(link), .current) }
        try synchronizeParent(of: link)
    }

    private func writeManifest() throws(Failure) {
        do { try WorkspaceManifest(name: new, id: id).write(to: backing) } catch {
            throw Failure(any: error)
        }
    }
}

private let exchange: UInt32 = 2  // RENAME_EXCHANGE

/// What `mamfleet` keeps, as in its own StateDirectory.
private func fleetState(of name: WorkspaceName) -> String {
    "\(Places.current.stateRoot.dropLast("/mamd".count))/mamfleet/\(name)"
}

private func move(_ from: String, to: String) throws(Failure) {
    guard !isMissing(from) else { return }
    guard rename(from, to) == 0 else { throw Failure(ByteString(from), .current) }
    try synchronizeParent(of: to)
}

private func synchronizeParent(of path: String) throws(Failure) {
    let parent = ByteString(path).directory
    try naming(parent) { () throws(Errno) in
        let directory = try openFile(parent.cString, O_RDONLY | O_DIRECTORY)
        try withExtendedLifetime(directory) { () throws(Errno) in
            try synchronizeDirectory(directory.raw)
        }
    }
}

private func isMissing(_ path: String) -> Bool {
    (try? status(at: workingDirectory, path)) == nil
}

/// A rename that was interrupted: its link in the state directories tells. Both names lead to the
/// same keys until it is finished.
struct UnfinishedRename {
    let old: WorkspaceName
    /// Nil if only the rename itself can tell.
    let new: WorkspaceName?

    /// Nil if the name is in none.
    init?(with name: WorkspaceName) {
        let root = Places.current.stateRoot
        let links = (try? entries(of: ByteString(root))) ?? []
        for link in links.compactMap({ $0.text.flatMap { WorkspaceName($0) } }) {
            guard let target = linkTarget("\(root)/\(link)").flatMap({ WorkspaceName($0) }),
                link == name || target == name
            else { continue }
            self.old = target
            new = link == target ? nil : link
            return
        }
        return nil
    }

    var failure: Failure {
        let new = self.new.map(\.description) ?? "NEW"
        return Failure(
            .failure, "the rename of the workspace '\(old)' is not finished",
            next: "mamctl workspace rename \(old) \(new)")
    }
}

/// Nil if it is no symbolic link.
func linkTarget(_ path: String) -> String? {
    guard let target = try? MAMSystem.linkTarget(path) else { return nil }
    return target.text
}
