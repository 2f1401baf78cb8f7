// A workspace that no daemon serves, and that none can serve while this exists.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

struct IdleWorkspace {
    let name: WorkspaceName
    /// Nil if the settings name none.
    let backing: ByteString?
    /// Nil if the backing directory is not accessible, as on an unplugged disk.
    let root: Descriptor?
    let state: Descriptor?
    let configuration: Descriptor?
    /// Locks the backing directory against daemons with other settings.
    private let lock: Descriptor?

    init(of name: WorkspaceName) throws(Failure) {
        self.name = name
        let places = Places.current
        state = try Self.directory(places.state(of: name))
        configuration = try Self.directory(places.configuration(of: name))
        guard state != nil || configuration != nil else {
            throw Failure(
                .notFound, "there is no workspace '\(name)'", next: "mamctl workspace list")
        }
        try Self.refuseWhileServed(name, state)
        let record = places.record(of: name)
        if let record { try Self.refuseTwo(record, name) }
        backing = record.map { $0.unitBacking ?? $0.backing }
        root = record.flatMap { Self.root(of: $0, at: $0.unitBacking ?? $0.backing) }
        lock = try root.flatMap { root throws(Failure) in try Self.lock(root, name) }
    }

    private static func directory(_ path: String) throws(Failure) -> Descriptor? {
        do throws(Errno) {
            return try openFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        } catch {
            if error == .noEntry { return nil }
            throw Failure(ByteString(path), error)
        }
    }

    /// Takes the lock on the state directory, which a daemon holds while it runs.
    private static func refuseWhileServed(
        _ name: WorkspaceName, _ state: Descriptor?
    ) throws(Failure) {
        let isServed: Bool
        do throws(Errno) {
            isServed = try state.map { state throws(Errno) in try !takesLock(state) } ?? false
        } catch {
            throw Failure(.failure, "the state of workspace '\(name)' cannot be locked: \(error)")
        }
        if isServed {
            throw Failure(
                .failure, "workspace '\(name)' is mounted, or being checked",
                next: "mamctl unmount MOUNTPOINT; mamctl status shows where")
        }
        if let place = deadMount(of: name) {
            throw Failure(
                .failure, "workspace '\(name)' is still mounted at \(place.shown)",
                next: "mamctl unmount \(place.asArgument)")
        }
    }

    /// Takes the lock on the backing directory, which a daemon with other settings, such as another
    /// user's, may hold.
    private static func lock(
        _ root: Descriptor, _ name: WorkspaceName
    ) throws(Failure) -> Descriptor? {
        guard let own = try? openOwnDirectory(of: root),
            let lock = try? openFile(at: own.raw, "lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        else { return nil }
        guard flock(lock.raw, LOCK_EX | LOCK_NB) != 0 else { return lock }
        throw Failure(
            .failure, "a daemon with other settings serves the directory of '\(name)'",
            next: "mamctl workspace list, as the user who mounted it")
    }

    /// Refuses if there is a copy of the workspace: the keys open both, and it is not clear which
    /// to remove.
    private static func refuseTwo(
        _ record: WorkspaceRecord, _ name: WorkspaceName
    ) throws(Failure) {
        guard let place = record.unitBacking,
            let one = root(of: record, at: place), let other = root(of: record, at: record.backing),
            !isSame(one, other)
        else { return }
        throw Failure(
            .failure,
            "workspace '\(name)' is at \(place.shown) for its unit, and at"
                + " \(record.backing.shown) for its settings",
            next: "mamctl mount --name \(name) BACKING MOUNTPOINT records which one it is")
    }

    private static func isSame(_ one: Descriptor, _ other: Descriptor) -> Bool {
        guard let one = try? status(of: one.raw), let other = try? status(of: other.raw) else {
            return false
        }
        return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
    }

    /// The backing directory, if its manifest matches the settings.
    private static func root(of record: WorkspaceRecord, at place: ByteString) -> Descriptor? {
        guard let root = try? openFile(place.cString, directoryFlags),
            let own = try? openOwnDirectory(of: root),
            (try? WorkspaceManifest(in: own))?.id == record.id
        else { return nil }
        return root
    }
}

private let directoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
