// Workspaces that this user has, mounted or not.

internal import Glibc
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire
internal import Synchronization

/// A workspace with settings or keys, of which no daemon answers.
struct UnmountedWorkspace {
    let name: WorkspaceName
    /// From its unit (mamd(8), UNITS), else as `init` noted it; nil if neither has it.
    let backing: ByteString?
    let mountPoint: ByteString?
    /// Where it is mounted all the same: its daemon was killed.
    let deadMount: ByteString?

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
            "deadMount": JSONValue(deadMount?.wireText), "next": .string(command),
        ]
    }
}

extension Places {
    /// Those that have settings or a state directory here, but for the named ones, by name.
    func unmountedWorkspaces(except running: [String]) -> [UnmountedWorkspace] {
        let found = [configurationRoot, stateRoot].flatMap { root in
            ((try? entries(of: ByteString(root))) ?? []).compactMap(\.text)
                .filter { isDirectory("\(root)/\($0)") }
        }
        let names = Set(found).subtracting(running).sorted().compactMap { WorkspaceName($0) }
        return names.map { name in
            let unit = unitSettings(of: name)
            return UnmountedWorkspace(
                name: name, backing: unit["BACKING"] ?? record(of: name)?.backing,
                mountPoint: unit["MOUNTPOINT"], deadMount: mamctl.deadMount(of: name))
        }
    }
}

/// Where this user's mount of the name answers that its daemon has ended. A killed daemon leaves
/// its socket: without one, it is another workspace's mount that has the name.
func deadMount(of name: WorkspaceName) -> ByteString? {
    guard access(Places.current.existingSocket(of: name), F_OK) == 0 else { return nil }
    let mounts = (try? MountTable().mounts) ?? []
    return mounts.filter { $0.workspace == name && $0.user == geteuid() }
        .map { ByteString($0.mountPoint) }.last(where: isKnownToBeDead)
}

/// A mount whose daemon is stopped may keep us waiting for good: that is no answer.
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
