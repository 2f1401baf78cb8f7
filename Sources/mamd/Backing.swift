// The backing directory: what workspace it is, and that it is ours alone.

import CShims
import Glibc
import MAMModel
internal import MAMPlaces
import MAMSystem
import MAMWire

/// Why the daemon does not start: a message that names the thing and the next step, and an exit
/// status.
struct StartError: Error {
    let message: String
    let status: ExitStatus

    init(_ message: String, _ status: ExitStatus = .failure) {
        self.message = message
        self.status = status
    }
}

/// What a daemon does with a backing directory.
enum BackingUse {
    case mount(at: ByteString)
    /// It is checked, without a mount.
    case check(isReadOnly: Bool)

    var isMount: Bool { if case .mount = self { true } else { false } }
    var isReadOnlyCheck: Bool { if case .check(isReadOnly: true) = self { true } else { false } }
}

/// `init` has refused such a file system, unless the directory was moved or copied there.
func warnOfSmallBlocks(of backing: Backing, _ report: (String) -> Void) {
    guard let size = try? blockByteCount(ofFileSystem: backing.root), size < safeBlockByteCount
    else { return }
    report(
        "\(backing.path.shown) is on a file system with blocks of \(size) bytes: "
            + "a power cut may destroy files that are being written; "
            + "move it to one with blocks of 4096"
    )
}

/// An opened and locked backing directory.
struct Backing {
    let path: ByteString
    let root: Descriptor
    /// The workspace's own directory, `.mamd`.
    let own: Descriptor
    /// Nil if there is none, and nothing may be made.
    let work: Descriptor?
    let manifest: WorkspaceManifest
    var name: WorkspaceName { manifest.name }
    var id: Bytes16 { manifest.id }
    /// The last daemon that mounted it left the lock file full.
    let wasLeftLocked: Bool
    /// Held while the daemon lives; the kernel releases it with the process. Not empty while it is
    /// mounted.
    let lock: Descriptor

    init(_ path: ByteString, for use: BackingUse) throws(StartError) {
        self.path = path
        (root, own) = try Self.open(path)
        manifest = try Self.readManifest(own, path)
        // Before anything is changed there.
        if use.isMount { try checkIsKnown(manifest, root, at: path) }
        Self.waitForEnd(ofHolderOf: own, manifest.name)
        (lock, wasLeftLocked) = try Self.takeLock(own, path, use)
        do throws(Errno) {
            work = try Self.openWork(in: own, use)
        } catch { throw StartError("\(path.shown)/.mamd/work cannot be used: \(error)") }
    }

    private static func open(
        _ path: ByteString
    ) throws(StartError) -> (root: Descriptor, own: Descriptor) {
        let root = try openDirectory(path)
        do throws(Errno) {
            return (root, try openOwnDirectory(of: root))
        } catch {
            throw StartError(
                "\(path.shown) is not a workspace (no .mamd in it: \(error)); create one with:"
                    + " mamctl init \(path.shown)",
                .notFound)
        }
    }

    private static func openDirectory(_ path: ByteString) throws(StartError) -> Descriptor {
        do throws(Errno) {
            return try openFile(path.cString, O_DIRECTORY | O_RDONLY)
        } catch {
            switch error {
            case .noEntry:
                throw StartError(
                    "\(path.shown) does not exist; create a workspace with: mamctl init"
                        + " \(path.shown)",
                    .notFound)
            case .notDirectory: throw StartError("\(path.shown) is not a directory")
            default: throw StartError("\(path.shown) cannot be opened: \(error)")
            }
        }
    }

    private static func readManifest(
        _ own: Descriptor, _ path: ByteString
    ) throws(StartError) -> WorkspaceManifest {
        let file = "\(path.shown)/.mamd/\(WorkspaceManifest.fileName)"
        do throws(WorkspaceManifestError) { return try WorkspaceManifest(in: own) } catch {
            switch error {
            case .unreadable(let error): throw StartError("\(file) cannot be read: \(error)")
            case .damaged:
                throw StartError("\(file) is damaged: format, id or name is missing", .damaged)
            case .newer(let format):
                throw StartError(
                    "\(file) has format \(format), but this mamd supports"
                        + " \(WorkspaceManifest.formatVersion); install a newer one"
                )
            }
        }
    }

    /// One daemon for one workspace: the lock file says who has it. Returns whether it was left
    /// full.
    private static func takeLock(
        _ own: Descriptor, _ path: ByteString, _ use: BackingUse
    ) throws(StartError) -> (Descriptor, Bool) {
        let lock: Descriptor
        do throws(Errno) {
            lock = try openLock(own, use)
        } catch {
            let next =
                error == .readOnly
                ? "; mount that file system read-write, or name it in ReadWritePaths= of the unit's"
                    + " drop-in"
                : ""
            throw StartError("\(path.shown)/.mamd/lock cannot be written: \(error)\(next)")
        }
        guard locks(lock, in: own) else {
            let holder = holder(of: own)
            throw StartError(
                holder.isEmpty
                    ? "\(path.shown) is being checked by another mamd; wait until it ends"
                    : "\(path.shown) is already mounted: \(holder); unmount it first: mamctl"
                        + " unmount MOUNTPOINT"
            )
        }
        do throws(Errno) {
            guard case .mount(let mountPoint) = use else { return (lock, false) }
            let wasFull = try status(of: lock.raw).st_size > 0
            try fill(lock, in: own, mountPoint)
            return (lock, wasFull)
        } catch { throw StartError("\(path.shown)/.mamd/lock cannot be written: \(error)") }
    }

    /// A daemon that has said that its end is clean has the lock for a moment more, as a check has
    /// it all the time.
    private static func locks(_ lock: Descriptor, in own: Descriptor) -> Bool {
        let deadline = Deadline(seconds: 1)
        while flock(lock.raw, LOCK_EX | LOCK_NB) != 0 {
            guard holder(of: own).isEmpty, !deadline.hasPassed else { return false }
            usleep(5000)
        }
        return true
    }

    private static func openLock(
        _ own: Descriptor, _ use: BackingUse
    ) throws(Errno) -> Descriptor {
        guard use.isReadOnlyCheck else {
            return try openFile(at: own.raw, "lock", O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        }
        do throws(Errno) {
            return try openFile(at: own.raw, "lock", O_RDONLY | O_NOFOLLOW)
        } catch {
            guard error == .noEntry else { throw error }
            // Never mounted, and nothing may be made: other checks are kept out all the same.
            return try reopen(own.raw, O_RDONLY | O_DIRECTORY)
        }
    }

    /// Durable before anything is changed, and at no moment empty: that would say that the last end
    /// was clean.
    private static func fill(
        _ lock: Descriptor, in own: Descriptor, _ mountPoint: ByteString
    ) throws(Errno) {
        let text = Array("process \(getpid()), at \(mountPoint.shown)\n".utf8)
        do throws(Errno) {
            try text.span.withUnsafeBytes { bytes throws(Errno) in
                try writeFully(lock.raw, from: bytes, at: 0)
            }
        } catch {
            // On a full disk files must be readable, and removable, all the same. The size takes no
            // room, and says enough.
            guard [.noSpace, .quotaExceeded].contains(error) else { throw error }
        }
        try setSize(lock.raw, Int64(text.count))
        try synchronize(lock.raw)
        try synchronize(own.raw)
    }

    /// Empties the lock file: nothing is left unfinished. Only once all that was written is
    /// durable.
    func markCleanEnd() throws(Errno) {
        guard mam_sync_file_system(own.raw) == 0 else { throw .current }
        try setSize(lock.raw, 0)
        try synchronize(lock.raw)
    }

    /// What the daemon that has the lock wrote into it.
    private static func holder(of own: Descriptor) -> String {
        let bytes = (try? readSmallFile(at: own.raw, "lock", maximumByteCount: 8192)) ?? []
        // Zeros where there was no room for the words.
        if bytes.first == 0 { return "another mamd uses it" }
        return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    }

    /// A daemon that was killed a moment ago closes its files one by one: its locks, the socket's
    /// too, are there for as long as one of its threads is, but no longer. One that was unmounted a
    /// moment ago saves what it has to save.
    private static func waitForEnd(ofHolderOf own: Descriptor, _ name: WorkspaceName) {
        let words = holder(of: own).split(separator: " ", maxSplits: 3)
        guard words.count == 4, let pid = Int32(words[1].dropLast()), isOurs(pid) else { return }
        let place = String(words[3])
        awaitEnd(ofDaemon: pid) {
            mount(at: place).flatMap { $0.workspace == name ? $0 : nil }
        } orWhile: {
            // Whatever stands in the file: the daemon that it is about has it locked.
            isMamd(pid) && mount(at: place) == nil && isLocked(in: own)
        }
    }

    /// Nobody else's process is waited for, whatever the lock file says.
    private static func isOurs(_ pid: Int32) -> Bool {
        (try? status(at: workingDirectory, "/proc/\(pid)"))?.st_uid == geteuid()
    }

    private static func isLocked(in own: Descriptor) -> Bool {
        guard let lock = try? openFile(at: own.raw, "lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        else { return false }
        return withExtendedLifetime(lock) { flock(lock.raw, LOCK_SH | LOCK_NB) != 0 }
    }

    /// The number may have become another program's.
    private static func isMamd(_ pid: Int32) -> Bool {
        (try? readSmallFile("/proc/\(pid)/comm", maximumByteCount: 64)) == Array("mamd\n".utf8)
    }

    private static func mount(at place: String) -> Mount? {
        (try? MountTable())?.mounts.last { ByteString($0.mountPoint).shown == place }
    }

    /// A directory for unfinished files; what a crash left in it is removed.
    private static func openWork(
        in own: Descriptor, _ use: BackingUse
    ) throws(Errno) -> Descriptor? {
        if !use.isReadOnlyCheck, mkdirat(own.raw, "work", 0o700) != 0, Errno.current != .exists {
            throw Errno.current
        }
        do throws(Errno) {
            let work = try openFile(at: own.raw, "work", O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            // Whoever writes the backing directory may have put any number there: the rest goes
            // behind the mount.
            if use.isMount { try removeFiles(in: work.raw, atMost: 1000) }
            return work
        } catch {
            guard error == .noEntry, use.isReadOnlyCheck else { throw error }
            return nil
        }
    }
}
