// The user's workspaces that are not mounted.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire
internal import Synchronization

/// A workspace with settings or keys but without a running daemon.
struct UnmountedWorkspace {
    let name: WorkspaceName
    /// From its unit (mamd(8), UNITS), else from the record that `init` wrote; nil if neither has
    /// it.
    let backing: ByteString?
    /// From its unit, else the one that is shut.
    let mountPoint: ByteString?
    /// Programs cannot use the mount point until the workspace is mounted.
    let isShut: Bool
    /// The mount that its daemon left when it was killed.
    let deadMount: ByteString?
    /// A daemon serves it that cannot be reached.
    let isServed: Bool

    /// Its backing directory is not where the settings have it.
    var missing: MissingBacking? {
        backing.flatMap {
            Places.current.isMissing($0) ? MissingBacking(of: name, at: $0) : nil
        }
    }

    var command: String {
        let place = deadMount ?? mountPoint
        return "mamctl mount \(backing?.asArgument ?? "BACKING")"
            + " \(place?.asArgument ?? "MOUNTPOINT")"
    }

    var json: JSONValue {
        [
            "name": .string(name.description), "mounted": false,
            "backingDirectory": JSONValue(backing?.wireText),
            "mountPoint": JSONValue(mountPoint?.wireText),
            "deadMount": JSONValue(deadMount?.wireText), "shut": .bool(isShut),
            "missing": .bool(missing != nil),
            "next": .string(deadMount == nil ? missing?.next.english ?? command : command),
        ]
    }
}

extension Places {
    /// Workspaces with settings or a state directory, except `running`, sorted by name.
    func unmountedWorkspaces(except running: [String]) -> [UnmountedWorkspace] {
        let found = [configurationRoot, stateRoot].flatMap { root in
            ((try? entries(of: ByteString(root))) ?? []).compactMap(\.text)
                .filter { isDirectory("\(root)/\($0)") }
        }
        let names = Set(found).subtracting(running).sorted().compactMap { WorkspaceName($0) }
        return names.filter { !isLeft(ofRename: $0) }.map { name in
            let unit = unitSettings(of: name)
            let shut = shutMountPoint(of: name)
            let isServed = isServed(name)
            let place = (isServed ? liveMount(of: name) : nil) ?? unit["MOUNTPOINT"] ?? shut?.place
            return UnmountedWorkspace(
                name: name, backing: unit["BACKING"] ?? record(of: name)?.backing,
                mountPoint: place, isShut: !isServed && shut != nil && shut?.place == place,
                deadMount: isServed ? nil : mamctl.deadMount(of: name), isServed: isServed)
        }
    }

    /// Those whose keys a daemon holds, except `others`, sorted by name.
    func servedWorkspaces(except others: [WorkspaceName]) -> [WorkspaceName] {
        let names = ((try? entries(of: ByteString(stateRoot))) ?? []).compactMap {
            $0.text.flatMap { WorkspaceName($0) }
        }
        return Set(names).subtracting(others).filter(isServed).sorted { "\($0)" < "\($1)" }
    }
}

/// Where the kernel has this user's mount of that name: where its daemon mounted it, if another has
/// the name, too.
func liveMount(of name: WorkspaceName) -> ByteString? {
    let found = ((try? MountTable().mounts) ?? [])
        .filter { $0.workspace == name && $0.user == geteuid() }
        .map { ByteString($0.mountPoint) }
    let told = Places.current.record(of: name).flatMap(lockFile)
    return found.last { told?.hasSuffix(", at \($0.shown)") == true } ?? found.last
}

/// The line in which a daemon says where it mounts.
private func lockFile(of workspace: WorkspaceRecord) -> String? {
    let path = workspace.backing.appending(".mamd/lock")
    let bytes = try? readSmallFile(path.cString, maximumByteCount: 8192)
    return bytes.map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
}

extension Places {
    /// Whether only the state of an interrupted rename has this name still.
    private func isLeft(ofRename name: WorkspaceName) -> Bool {
        !isDirectory(configuration(of: name)) && UnfinishedRename(with: name)?.old == name
    }
}

/// The user's dead mount of that name. A killed daemon leaves its socket: without a socket, the
/// mount is another workspace's of the same name.
func deadMount(of name: WorkspaceName) -> ByteString? {
    guard access(Places.current.existingSocket(of: name), F_OK) == 0 else { return nil }
    let mounts = (try? MountTable().mounts) ?? []
    return mounts.filter { $0.workspace == name && $0.user == geteuid() }
        .map { ByteString($0.mountPoint) }.last(where: isKnownToBeDead)
}

/// A mount whose daemon is stopped may block us forever: a timeout counts as not dead.
private func isKnownToBeDead(_ place: ByteString) -> Bool {
    let isDead = Atomic(false)
    return withExtendedLifetime(isDead) {
        finishes(by: Deadline(seconds: 1), named: "mount") {
            isDead.store((try? isDeadMount(place)) ?? false, ordering: .relaxed)
        } && isDead.load(ordering: .relaxed)
    }
}

private func isDirectory(_ path: String) -> Bool {
    guard let status = try? status(at: workingDirectory, path) else { return false }
    return status.st_mode & S_IFMT == S_IFDIR
}

/// A backing directory that the settings know and that is not there: on a disk that is not
/// attached, or moved.
struct MissingBacking {
    let name: WorkspaceName
    let place: ByteString

    init(of name: WorkspaceName, at place: ByteString) { (self.name, self.place) = (name, place) }

    /// Nil if the settings know no workspace at the path, or it is there, or an interrupted `init`
    /// has still to make it.
    init?(at path: ByteString) {
        let (path, places) = (path.resolvedDirectory ?? path, Places.current)
        guard let name = places.workspace(recordedAt: path), places.isMissing(path),
            access(path.cString, F_OK) != 0
                || access("\(places.state(of: name))/keybags", F_OK) == 0
        else { return nil }
        self.init(of: name, at: path)
    }

    var failure: Failure {
        Failure(
            .notFound,
            hasContent(place)
                ? "\(place.shown), of the workspace '\(name)', has no .mamd/workspace.json any more"
                : "the files of the workspace '\(name)' are not at \(place.shown)", next: next)
    }

    /// Names no removal while files may be there: it would destroy their keys.
    var next: Message {
        guard !hasContent(place) else {
            return "if its files are there: mamctl mount --name \(name) \(place.asArgument)"
                + " MOUNTPOINT; if not, attach their disk"
        }
        return
            "attach their disk; if they were moved: mamctl mount --name \(name) BACKING MOUNTPOINT;"
            + " if they are gone: mamctl workspace remove \(name)"
    }
}
