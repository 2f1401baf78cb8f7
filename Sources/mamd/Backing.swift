// The backing directory: its workspace, and exclusive use of it.

import CShims
import Glibc
internal import MAMCommandLine
import MAMModel
internal import MAMPlaces
import MAMSystem
import MAMWire

/// How a daemon uses a backing directory.
enum BackingUse {
    case mount(at: ByteString, isReadOnly: Bool)
    /// Checks it without a mount.
    case check(isReadOnly: Bool)

    var isMount: Bool { if case .mount = self { true } else { false } }
    var isReadOnly: Bool {
        switch self {
        case .mount(_, let isReadOnly), .check(let isReadOnly): isReadOnly
        }
    }
    var isReadOnlyCheck: Bool { !isMount && isReadOnly }
}

/// An opened and locked backing directory.
struct Backing {
    let path: ByteString
    let root: Descriptor
    /// The workspace's own directory, `.mamd`.
    let own: Descriptor
    /// Nil if there is none, and it must not be created.
    let work: Descriptor?
    let manifest: WorkspaceManifest
    var name: WorkspaceName { manifest.name }
    var id: Bytes16 { manifest.id }
    /// Not on a read-only disk. The lock file says then that this daemon has it mounted.
    private let isWritable: Bool
    /// The last daemon that mounted it did not empty the lock file.
    let wasLeftLocked: Bool
    /// Held while the daemon runs; the kernel releases it with the process. Not empty while the
    /// workspace is mounted.
    let lock: Descriptor

    init(_ path: ByteString, for use: BackingUse) throws(Failure) {
        self.path = path
        (root, own) = try Self.open(path)
        let found = try Self.readManifest(own, path)
        // Before anything is changed there.
        if use.isMount { try checkIsKnown(found, root, at: path) }
        try refuseTwoDevices(in: own, path)
        Self.waitForEnd(ofHolderOf: own, found.name)
        (lock, isWritable, wasLeftLocked) = try Self.takeLock(own, path, use)
        // It may have been renamed meanwhile.
        manifest = try Self.readManifest(own, path)
        if use.isMount { try checkIsKnown(manifest, root, at: path) }
        do throws(Errno) {
            work = try Self.openWork(in: own, use)
        } catch { throw Failure("\(path.shown)/.mamd/work cannot be used: \(error)") }
    }

    private static func open(
        _ path: ByteString
    ) throws(Failure) -> (root: Descriptor, own: Descriptor) {
        let root = try openDirectory(path)
        do throws(Errno) {
            return (root, try openOwnDirectory(of: root))
        } catch {
            throw missing(path)
                ?? Failure(
                    .notFound,
                    "\(path.shown) is not a workspace (no .mamd in it: \(error)); create one with:"
                        + " mamctl init \(path.shown)")
        }
    }

    private static func openDirectory(_ path: ByteString) throws(Failure) -> Descriptor {
        do throws(Errno) {
            return try openFile(path.cString, O_DIRECTORY | O_RDONLY)
        } catch {
            switch error {
            case .noEntry:
                throw missing(path)
                    ?? Failure(
                        .notFound,
                        "\(path.shown) does not exist; create a workspace with: mamctl init"
                            + " \(path.shown)")
            case .notDirectory: throw Failure("\(path.shown) is not a directory")
            default: throw Failure("\(path.shown) cannot be opened: \(error)")
            }
        }
    }

    /// Nil if the settings know no workspace there.
    private static func missing(_ path: ByteString) -> Failure? {
        Places.current.workspace(recordedAt: path).map { name in
            if hasContent(path) {
                return Failure(
                    .notFound,
                    "\(path.shown), of the workspace '\(name)', has no .mamd/workspace.json any"
                        + " more; if its files are there: mamctl mount --name \(name)"
                        + " \(path.shown) MOUNTPOINT")
            }
            return Failure(
                .notFound,
                "the files of the workspace '\(name)' are not at \(path.shown): attach their disk;"
                    + " if they were moved: mamctl mount --name \(name) BACKING MOUNTPOINT")
        }
    }

    private static func readManifest(
        _ own: Descriptor, _ path: ByteString
    ) throws(Failure) -> WorkspaceManifest {
        let file = "\(path.shown)/.mamd/\(WorkspaceManifest.fileName)"
        do throws(WorkspaceManifestError) { return try WorkspaceManifest(in: own) } catch {
            switch error {
            case .unreadable(let error): throw Failure("\(file) cannot be read: \(error)")
            case .damaged:
                throw Failure(.damaged, "\(file) is damaged: format, id or name is missing")
            case .newer(let format):
                throw Failure(
                    "\(file) has format \(format), but this mamd supports"
                        + " \(WorkspaceManifest.formatVersion); install a newer one"
                )
            }
        }
    }

    /// One daemon per workspace: the lock file names its holder. Returns whether it was not empty.
    private static func takeLock(
        _ own: Descriptor, _ path: ByteString, _ use: BackingUse
    ) throws(Failure) -> (Descriptor, isWritable: Bool, wasFull: Bool) {
        let (lock, isWritable): (Descriptor, Bool)
        do throws(Errno) {
            (lock, isWritable) = try openLock(own, use)
        } catch {
            let next =
                error == .readOnly
                ? "; mount that file system read-write, or the workspace with -o ro, or name it in"
                    + " ReadWritePaths= of the unit's drop-in"
                : ""
            throw Failure("\(path.shown)/.mamd/lock cannot be written: \(error)\(next)")
        }
        guard locks(lock, in: own) else {
            let holder = holder(of: own)
            throw Failure(
                holder.isEmpty
                    ? "\(path.shown) is used by another mamd, which checks it or has mounted it"
                        + " from a read-only or full disk: mamctl status"
                    : "\(path.shown) is already mounted: \(holder); unmount it first: mamctl"
                        + " unmount MOUNTPOINT"
            )
        }
        do throws(Errno) {
            guard case .mount(let mountPoint, _) = use else { return (lock, false, false) }
            let found = try status(of: lock.raw)
            let wasFull = found.st_mode & S_IFMT == S_IFREG && found.st_size > 0
            if isWritable { try fill(lock, in: own, mountPoint) }
            return (lock, isWritable, wasFull)
        } catch { throw Failure("\(path.shown)/.mamd/lock cannot be written: \(error)") }
    }

    /// A daemon that has recorded a clean end still holds the lock briefly; a check holds it
    /// throughout.
    static func locks(_ lock: Descriptor, in own: Descriptor) -> Bool {
        let deadline = Deadline(seconds: 1)
        while flock(lock.raw, LOCK_EX | LOCK_NB) != 0 {
            guard holder(of: own).isEmpty, !deadline.hasPassed else { return false }
            usleep(5000)
        }
        return true
    }

    private static func openLock(
        _ own: Descriptor, _ use: BackingUse
    ) throws(Errno) -> (Descriptor, isWritable: Bool) {
        if !use.isReadOnlyCheck {
            do throws(Errno) {
                let flags = O_RDWR | O_CREAT | O_NOFOLLOW
                return (try openFile(at: own.raw, "lock", flags, mode: 0o600), true)
            } catch { guard error == .readOnly, use.isReadOnly else { throw error } }
        }
        do throws(Errno) {
            return (try openFile(at: own.raw, "lock", O_RDONLY | O_NOFOLLOW), false)
        } catch {
            guard error == .noEntry else { throw error }
            // It was never mounted, and nothing may be created: locking the directory still keeps
            // others out.
            return (try reopen(own.raw, O_RDONLY | O_DIRECTORY), false)
        }
    }

    /// Durable before anything is changed, and never empty, which would mean that the last end was
    /// clean: unless there is no room even for that, as files have to be readable and removable.
    /// ``CleanEnd`` holds all the same.
    private static func fill(
        _ lock: Descriptor, in own: Descriptor, _ mountPoint: ByteString
    ) throws(Errno) {
        let text = Array("process \(getpid()), at \(mountPoint.shown)\n".utf8)
        do throws(Errno) {
            try text.span.withUnsafeBytes { bytes throws(Errno) in
                try writeFully(lock.raw, from: bytes, at: 0)
            }
        } catch {
            guard error.meansNoRoom else { throw error }
        }
        do throws(Errno) {
            // Suffices, and takes no space; a full quota of btrfs refuses it all the same.
            try setSize(lock.raw, Int64(text.count))
            try synchronize(lock.raw)
            try synchronize(own.raw)
        } catch { guard error.meansNoRoom else { throw error } }
    }

    /// Empties the lock file: nothing is unfinished. Call only once all writes are durable.
    func markCleanEnd() throws(Errno) {
        guard isWritable else { return }
        guard mam_sync_file_system(own.raw) == 0 else { throw .current }
        guard try status(of: lock.raw).st_size > 0 else { return }
        try setSize(lock.raw, 0)
        try synchronize(lock.raw)
    }

    /// The text that the lock's holder wrote into it.
    private static func holder(of own: Descriptor) -> String {
        let bytes = (try? readSmallFile(at: own.raw, "lock", maximumByteCount: 8192)) ?? []
        // Zeros if there was no space for the text.
        if bytes.first == 0 { return "another mamd uses it" }
        return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    }

    /// A daemon that was just killed keeps its locks, including the socket's, until its last thread
    /// has ended. One that was just unmounted is still saving its state.
    private static func waitForEnd(ofHolderOf own: Descriptor, _ name: WorkspaceName) {
        let words = holder(of: own).split(separator: " ", maxSplits: 3)
        guard words.count == 4, let pid = Int32(words[1].dropLast()), isOurs(pid) else { return }
        let place = String(words[3])
        awaitEnd(ofDaemon: pid) {
            mount(at: place).flatMap { $0.workspace == name ? $0 : nil }
        } orWhile: {
            // Only if that process really has the file locked, whatever the file's text says.
            isMamd(pid) && mount(at: place) == nil && hasDaemon(own)
        }
    }

    /// Never waits for another user's process, whatever the lock file says.
    private static func isOurs(_ pid: Int32) -> Bool {
        (try? status(at: workingDirectory, "/proc/\(pid)"))?.st_uid == geteuid()
    }

    /// The process id may have been reused.
    private static func isMamd(_ pid: Int32) -> Bool {
        (try? readSmallFile("/proc/\(pid)/comm", maximumByteCount: 64)) == Array("mamd\n".utf8)
    }

    private static func mount(at place: String) -> Mount? {
        (try? MountTable())?.mounts.last { ByteString($0.mountPoint).shown == place }
    }

    /// Opens the directory for temporary files, and removes leftovers of a crash.
    private static func openWork(
        in own: Descriptor, _ use: BackingUse
    ) throws(Errno) -> Descriptor? {
        if !use.isReadOnlyCheck, mkdirat(own.raw, "work", 0o700) != 0 {
            let error = Errno.current
            guard error == .exists || error == .readOnly && use.isReadOnly else { throw error }
        }
        do throws(Errno) {
            let work = try openFile(at: own.raw, "work", O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            // A program that can write the backing directory may have put any number of files
            // there; the rest is removed after mounting.
            if use.isMount { try removeFiles(in: work.raw, atMost: 1000) }
            return work
        } catch {
            guard error == .noEntry, use.isReadOnly else { throw error }
            return nil
        }
    }
}
