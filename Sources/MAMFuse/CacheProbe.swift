// Looking at the kernel's cache of one file, through the mount.

internal import CFuse3
internal import CShims
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import Synchronization

/// A descriptor of a file in the mount, opened by the daemon itself. Opening it needs no key and no
/// open window, and nothing is ever read through it.
struct CacheProbe: ~Copyable {
    private let file: Descriptor

    enum Purpose {
        case cache
        /// Opening and closing it sends the daemon no request; only ``cachedSize`` works.
        case size

        fileprivate var flags: Int32 {
            let access = self == .cache ? O_RDONLY | O_NONBLOCK | O_NOCTTY : openPathOnly
            return access | O_NOFOLLOW | O_CLOEXEC
        }
    }

    /// Throws if the file cannot be opened: its mode forbids it, or it was unlinked and we are not
    /// root; or if no descriptor is left, which says nothing about the file.
    init(
        _ inode: Inode, in mount: Mount, for purpose: Purpose = .cache
    ) throws(Errno) {
        file = try mount.ownAccesses.opening { () throws(Errno) in
            let root = try Self.openRoot(of: mount.tree)
            return try withExtendedLifetime(root) { () throws(Errno) in
                return try Self.open(inode, in: mount.tree, root, for: purpose)
            }
        }
    }

    /// By the mount's last known place, or where it is now.
    private static func openRoot(
        of tree: Tree, _ access: Int32 = O_RDONLY
    ) throws(Errno) -> Descriptor {
        let flags = access | O_DIRECTORY
        if let root = try? openFile(tree.lastMountPoint.cString, flags),
            (try? CachedFacts(of: root.raw).device) == tree.mountDevice
        {
            return root
        }
        return try openFile(tree.mountPoint.cString, flags)
    }

    /// The root for ``init(writersOf:in:below:)``.
    static func openRootToWait(of tree: Tree) throws(Errno) -> Descriptor {
        try openRoot(of: tree, openPathOnly)
    }

    /// Without a request to the daemon where the kernel knows the path: those that wait to be
    /// served, write-back mostly, would come first. Only to wait for writers and to cut.
    init(writersOf inode: Inode, in mount: Mount, below root: Descriptor) throws(Errno) {
        guard let path = mount.tree.relativePath(of: inode) else { throw .noEntry }
        let file = try openBeneath(root.raw, path.cString, Purpose.size.flags)
        try self.init(file, inode, in: mount)
    }

    private init(_ file: Descriptor, _ inode: Inode, in mount: Mount) throws(Errno) {
        let place = try CachedFacts(of: file.raw)
        guard place.device == mount.tree.mountDevice,
            place.inode == mount.tree.shownNumber(of: inode)
        else { throw .noEntry }
        self.file = file
    }

    /// Through a program's descriptor (`/proc/PID/fd/N`), for a file that was unlinked. It serves
    /// only to wait for writers, and for ``cachedSize``.
    init(_ inode: Inode, in mount: Mount, heldAs link: String) throws(Errno) {
        // Not fstat(2): the number may name another file by now, whose file system may hang.
        try self.init(openFile(link, openPathOnly), inode, in: mount)
    }

    private static func open(
        _ inode: Inode, in tree: Tree, _ root: Descriptor, for purpose: Purpose
    ) throws(Errno) -> Descriptor {
        // This needs root and looks nothing up, so no user can delay it.
        if purpose == .size, let file = try? openByNumber(inode, in: tree, root, purpose.flags) {
            return file
        }
        do throws(Errno) { return try openByPath(inode, in: tree, root, purpose.flags) } catch {
            if error.isShortOfDescriptors || purpose == .size { throw error }
            // It was unlinked or renamed, or a directory above is closed to us.
            return try openByNumber(inode, in: tree, root, purpose.flags)
        }
    }

    /// Users can change the path meanwhile: neither their links nor other mounts may redirect
    /// root's daemon.
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
            UInt64(status.st_ino) == tree.shownNumber(of: inode)
        else { throw .noEntry }
        return file
    }

    /// Pages in any state; nil if the kernel does not report them.
    var cachedPageCount: Int64? {
        let count = mam_cached_pages(file.raw)
        return count < 0 ? nil : count
    }

    /// The file's size in the kernel's cache; nil if the kernel does not report it.
    var cachedSize: Int64? {
        let size = mam_cached_size(file.raw)
        return size < 0 ? nil : size
    }

    fileprivate func truncate(to size: Int64) {
        try? withProcPath(of: file.raw) { path throws(Errno) in
            _ = try retrying { Glibc.truncate(path, off_t(size)) }
        }
    }

    /// Requests a mode with a set-user-ID bit, which the daemon refuses.
    fileprivate func askForSetUserID() {
        // By its path: the descriptor may be O_PATH.
        try? withProcPath(of: file.raw) { path throws(Errno) in
            _ = try retrying { chmod(path, S_ISUID) }
        }
    }
}

/// The daemon's own accesses to files of its mount.
final class OwnAccesses: Sendable {
    /// The threads that are opening a file, for the thread that serves the request.
    private let threads = Mutex<Set<Int32>>([])
    private let waitingThreads = Mutex<Set<Int32>>([])
    private let cuttingThreads = Mutex<Set<Int32>>([])
    /// The inodes that are being probed.
    private let nodes = Mutex<Set<UInt64>>([])

    /// Waits until no other thread probes the inode; false if that takes too long. A thread that
    /// waits for a writer may wait for ever, so one for each inode is enough.
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

    /// Waits for every write(2) in progress, and makes the kernel ask the daemon in each later one
    /// (``WriteGuard``).
    ///
    /// chmod(2) takes the inode's lock, which a write holds. Before it checks permissions,
    /// notify_change() clears S_NOSEC if the new mode has a set-id bit, so that each later write
    /// asks for `security.capability`. Then the daemon refuses the change.
    func waitForWriters(_ probe: borrowing CacheProbe) {
        let own = mam_thread_id()
        waitingThreads.withLock { _ = $0.insert(own) }
        defer { waitingThreads.withLock { _ = $0.remove(own) } }
        probe.askForSetUserID()
    }

    /// Whether a thread changes a mode only to wait.
    func isWaiting(_ thread: Int32) -> Bool { waitingThreads.withLock { $0.contains(thread) } }

    /// Makes the kernel ask for a size, and take the one that it is told: with the write-back cache
    /// it takes none that is smaller than its own, but for a truncate(2).
    func cut(_ probe: borrowing CacheProbe, to size: Int64) {
        let own = mam_thread_id()
        cuttingThreads.withLock { _ = $0.insert(own) }
        defer { cuttingThreads.withLock { _ = $0.remove(own) } }
        probe.truncate(to: size)
    }

    /// Whether a thread changes a size only so that the kernel takes the file's.
    func isCutting(_ thread: Int32) -> Bool {
        cuttingThreads.withLock { !$0.isEmpty && $0.contains(thread) }
    }
}
