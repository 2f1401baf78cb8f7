// Looking at the kernel's cache of one file, through the mount.

internal import CFuse3
internal import CShims
internal import Glibc
internal import MAMSystem
internal import MAMTree
internal import MAMWorkspace
internal import Synchronization

/// A descriptor of a file in the mount, open for the daemon itself: no key and no window are asked for, and
/// nothing is ever read through it.
struct CacheProbe: ~Copyable {
    private let file: Descriptor

    enum Purpose {
        case cache
        /// No request for opening and closing it reaches us; only ``cachedSize`` can be asked then.
        case size

        fileprivate var flags: Int32 {
            let access = self == .cache ? O_RDONLY | O_NONBLOCK | O_NOCTTY : openPathOnly
            return access | O_NOFOLLOW | O_CLOEXEC
        }
    }

    /// Throws if the file cannot be opened: its mode shuts us out, or it has no name any more and we are not root; or there
    /// is no descriptor left, which says nothing of the file.
    init(
        _ inode: Inode, in mount: Mount, for purpose: Purpose = .cache
    ) throws(Errno) {
        file = try mount.probes.opening { () throws(Errno) in
            let root = try openFile(mount.tree.mountPoint.cString, O_RDONLY | O_DIRECTORY)
            return try withExtendedLifetime(root) { () throws(Errno) in
                return try Self.open(inode, in: mount.tree, root, for: purpose)
            }
        }
    }

    /// By a descriptor that a program holds (`/proc/PID/fd/N`): for a file that has no name any more. Only writers can be waited for
    /// then.
    init(_ inode: Inode, in mount: Mount, heldAs link: String) throws(Errno) {
        let file = try openFile(link, openPathOnly)
        var (device, number) = (UInt64(0), UInt64(0))
        // Not by fstat(2): the number may be another file's by now, and that one's file system need
        // not answer.
        _ = try retrying { mam_cached_place(file.raw, &device, &number) }
        guard device == mount.tree.mountDevice, number == inode.id.inode else { throw .noEntry }
        self.file = file
    }

    private static func open(
        _ inode: Inode, in tree: Tree, _ root: Descriptor, for purpose: Purpose
    ) throws(Errno) -> Descriptor {
        // Nothing is looked up on this way, which is root's only: no user can hold it up.
        if purpose == .size, let file = try? openByNumber(inode, in: tree, root, purpose.flags) {
            return file
        }
        do throws(Errno) { return try openByPath(inode, in: tree, root, purpose.flags) } catch {
            if error.isShortOfDescriptors || purpose == .size { throw error }
            // It has no name any more, or another, or we may not go there.
            return try openByNumber(inode, in: tree, root, purpose.flags)
        }
    }

    /// Users can change the path meanwhile: no link of theirs and no other mount may lead root's daemon astray.
    private static func openByPath(
        _ inode: Inode, in tree: Tree, _ root: Descriptor, _ flags: Int32
    ) throws(Errno) -> Descriptor {
        guard let path = tree.relativePath(of: inode) else { throw .noEntry }
        return try checked(openBeneath(root.raw, path.cString, flags), inode, in: tree)
    }

    private static func openByNumber(
        _ inode: Inode, in tree: Tree, _ root: Descriptor, _ flags: Int32
    ) throws(Errno) -> Descriptor {
        let file = Descriptor(
            owning: try retrying {
                mam_open_fuse_node(root.raw, inode.node, inode.generation, flags)
            })
        return try checked(file, inode, in: tree)
    }

    /// The file, if it is the inode's; `ENOENT` for another.
    private static func checked(
        _ file: Descriptor, _ inode: Inode, in tree: Tree
    ) throws(Errno) -> Descriptor {
        let status = try status(of: file.raw)
        guard UInt64(status.st_dev) == tree.mountDevice,
            UInt64(status.st_ino) == inode.id.inode
        else { throw .noEntry }
        return file
    }

    /// Pages, in whatever state; nil if the kernel does not tell.
    var cachedPageCount: Int64? {
        let count = mam_cached_pages(file.raw)
        return count < 0 ? nil : count
    }

    /// The file's size as the kernel knows it; nil if it does not tell.
    var cachedSize: Int64? {
        let size = mam_cached_size(file.raw)
        return size < 0 ? nil : size
    }

    /// Asks for a mode with a set-user-ID bit, which the daemon refuses.
    fileprivate func askForSetUserID() {
        guard let mode = try? status(of: file.raw).st_mode else { return }
        // By its path: the descriptor may be for that alone.
        try? withProcPath(of: file.raw) { path throws(Errno) in
            _ = try retrying { chmod(path, mode & 0o7777 | S_ISUID) }
        }
    }
}

/// Who of us looks at tree in the mount.
final class Probes: Sendable {
    /// The threads that are opening one, so that the thread which serves that request knows.
    private let threads = Mutex<Set<Int32>>([])
    private let waitingThreads = Mutex<Set<Int32>>([])
    /// The inodes that are being looked at.
    private let nodes = Mutex<Set<UInt64>>([])

    /// Waits until nobody else looks at the inode; false if that takes too long. A thread that waits for a writer
    /// waits as long as that likes: one for each inode is enough.
    func begin(_ inode: Inode, until deadline: Deadline) -> Bool {
        while !nodes.withLock({ $0.insert(inode.node).inserted }) {
            if deadline.hasPassed { return false }
            usleep(5000)
        }
        return true
    }

    func end(_ inode: Inode) { nodes.withLock { _ = $0.remove(inode.node) } }

    func opening(_ body: () throws(Errno) -> Descriptor) throws(Errno) -> Descriptor {
        let own = mam_thread_id()
        threads.withLock { _ = $0.insert(own) }
        defer { threads.withLock { _ = $0.remove(own) } }
        return try body()
    }

    func isOpening(_ thread: Int32) -> Bool { threads.withLock { $0.contains(thread) } }

    /// Returns when every write(2) that is under way has ended, and makes the kernel ask us in each that follows (see
    /// WriteGuard).
    ///
    /// A change of mode takes the inode's lock in the kernel, which a write holds. In it, before it looks who asks,
    /// notify_change() forgets that there was nothing that a write must take away if the mode has a set-id bit. We refuse the
    /// change, after that.
    func waitForWriters(_ probe: borrowing CacheProbe) {
        let own = mam_thread_id()
        waitingThreads.withLock { _ = $0.insert(own) }
        defer { waitingThreads.withLock { _ = $0.remove(own) } }
        probe.askForSetUserID()
    }

    /// Whether a change of mode is none, but such a wait.
    func isWaiting(_ thread: Int32) -> Bool { waitingThreads.withLock { $0.contains(thread) } }
}
