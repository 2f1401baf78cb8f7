// Removes a workspace from this machine. Opens each directory without following links and removes
// its content through the descriptor, so that users who can write nearby cannot redirect the
// removal.

internal import Glibc
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// A pending removal. No daemon can serve the workspace while it exists.
struct WorkspaceRemoval {
    let name: WorkspaceName
    /// Nil if the settings name none.
    let backing: ByteString?
    /// Nil if the backing directory is not accessible, as on an unplugged disk.
    let sealedCount: Int?
    let hasKeys: Bool
    private let root: Descriptor?
    private let state: Descriptor?
    private let configuration: Descriptor?
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
        hasKeys = state.map { Self.isFilled("keybags", of: $0) } ?? false
        let record = places.record(of: name)
        if let record { try Self.refuseTwo(record, name) }
        backing = record.map { $0.unitBacking ?? $0.backing }
        root = record.flatMap { Self.root(of: $0, at: $0.unitBacking ?? $0.backing) }
        lock = try root.flatMap { root throws(Failure) in try Self.lock(root, name) }
        sealedCount = root.map { mamctl.sealedCount(below: $0) }
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
        if let state, flock(state.raw, LOCK_EX | LOCK_NB) != 0 {
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

    private static func isFilled(_ name: String, of directory: Descriptor) -> Bool {
        guard let inner = try? openFile(at: directory.raw, name, directoryFlags) else {
            return false
        }
        return (try? entries(of: inner.raw).isEmpty) != true
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

    /// Returns what is left of `.mamd`, which the user may want. Removes the settings last: they
    /// say where the rest is, so a failed removal can be repeated.
    func run() throws(Failure) -> [ByteString] {
        try checkWritable()
        try remove(state, Places.current.state(of: name), erasing: true)
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
        try naming(path) { () throws(Errno) in
            try removeTree(in: directory.raw, erasing: erasing)
            let parent = try openFile(path.directory.cString, O_RDONLY | O_DIRECTORY)
            _ = try retrying { unlinkat(parent.raw, path.lastComponent.cString, AT_REMOVEDIR) }
            try synchronizeDirectory(parent.raw)
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
