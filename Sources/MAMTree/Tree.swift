// A backing directory as inodes and names, shared by all use cases.

internal import CShims
package import Glibc
package import MAMSystem
package import MAMVault
package import Synchronization

/// The state that the use cases of one backing directory share: its vault, its inodes, and the
/// locks over its names. It needs no mount.
package final class Tree: Sendable {
    package let vault: Vault
    package let root: Descriptor
    package let table: InodeTable
    /// Nil where files cannot be found by number.
    package let handles: FileHandles?
    package let searches = Searches()
    /// On the same file system as the root: for files that are to be renamed into place.
    /// Nil only where nothing is written.
    package let workDirectory: Descriptor?
    /// Absolute, without a slash at the end.
    package let mountPoint: ByteString
    /// Mounted read-only: nothing below is written either.
    package let isReadOnly: Bool
    /// Held by who repairs one.
    package let recovery = ReadWriteLock()
    private let rootStatus: stat
    /// Whether what is known may be held open for reading: elsewhere that is another program's or
    /// machine's memory.
    package let holdsOpen: Bool
    /// Whether a header may have to come from a disk, so that it is worth having several read at
    /// once.
    package let readsAhead: Bool
    private let mountedDevice = Atomic<UInt64>(0)
    package let mounted = Mutex(Mounted(cache: NoKernelCache(), transport: { Transport(.device) }))
    package let evictor = Evictor()
    package let accessTimes: AccessTimeRule
    /// Of what users hold open. An open directory has a buffer of the C library's.
    package let openFiles: Shares
    package let openDirectories = Shares(total: 4096)
    /// Shared by what changes names; alone while a converted file is put in another's place. Never
    /// held over a walk: whatever changes a name would wait, on all threads that serve.
    package let names = ReadWriteLock()
    /// Shared by what changes a file's mode, owner, times or attributes, alone while a converted
    /// file takes them over and then its place: no change goes to the file of before. Its holder
    /// takes no other lock but that of ``changeMode(_:to:)``.
    package let metadata = ReadWriteLock()
    /// Shared by what makes files, from the name to the first handle; alone for a moment by
    /// ``awaitMakers()``.
    package let makers = ReadWriteLock()
    /// Moves that may have taken a file past who looks for it; changed under `names`.
    package let moves = Atomic<Int>(0)
    /// Changes of headers that new file keys follow on.
    package let keyChanges = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    private let serving = Atomic<Bool>(false)
    private let onReady: @Sendable (Tree) -> Void

    /// Holds the workspace's own files at the top of the backing directory; not shown in the mount.
    package static let hiddenName = ".mamd"

    /// Seconds for which the kernel may keep names and attributes: the daemon is the only writer,
    /// and tells the kernel of what it changes itself.
    package static let cacheSeconds = 60.0

    /// `root`: the backing directory, opened with `O_PATH`.
    /// `workDirectory`: the workspace's own directory for unfinished files.
    /// `onReady`: called once, when the kernel has the answer to its first request.
    package init(
        vault: Vault, root: Descriptor, workDirectory: Descriptor?, mountPoint: ByteString,
        isReadOnly: Bool, onReady: @escaping @Sendable (Tree) -> Void
    ) throws(Errno) {
        self.onReady = onReady
        self.workDirectory = workDirectory
        self.mountPoint = mountPoint
        self.isReadOnly = isReadOnly
        self.vault = vault
        self.root = root
        openFiles = Shares(total: evictor.openLimit)
        accessTimes = AccessTimeRule(of: root, shownAt: mountPoint)
        let kind = try FileSystemKind(of: root)
        holdsOpen = kind.isLocal
        readsAhead = kind.isLocal && !kind.isInMemory && evictor.hasRoomForListings
        rootStatus = try status(at: root.raw, "")
        handles = FileHandles(of: root)
        table = InodeTable(root: root, status: rootStatus, handles)
    }
}

extension Tree {
    package func becameReady() {
        keepProcDescriptors()
        onReady(self)
    }

    /// `st_dev` of everything in the mount; asked of the kernel once, on a thread that serves no
    /// request.
    package var mountDevice: UInt64 {
        let known = mountedDevice.load(ordering: .relaxed)
        if known != 0 { return known }
        // After a lazy unmount the path leads to the host's file system.
        guard (try? FileSystemKind(at: mountPoint).isFUSE) == true,
            let status = try? status(at: workingDirectory, mountPoint.cString)
        else { return 0 }
        mountedDevice.store(UInt64(status.st_dev), ordering: .relaxed)
        return UInt64(status.st_dev)
    }

    /// A place among what users hold open, for as long as the handle is; nil for those who need
    /// none.
    package func place(in shares: Shares, for caller: Caller) throws(Errno) -> SharePlace? {
        guard Shares.bind(caller.user) else { return nil }
        guard let place = SharePlace(in: shares, for: caller.user) else { throw .tooManyOpenFiles }
        return place
    }

    /// True from the moment the daemon stops: nothing is opened, and no write enters the kernel's
    /// cache any more.
    package var isStopping: Bool { stopping.load(ordering: .sequentiallyConsistent) }

    package func beginStopping() {
        stopping.store(true, ordering: .sequentiallyConsistent)
        vault.keyNews.tell()
    }

    /// True while the mount serves: then and no earlier are there files for accounts to be looked
    /// through, wiped or sealed anew.
    package var isServed: Bool { serving.load(ordering: .sequentiallyConsistent) }

    package func setServed(_ isServed: Bool) {
        serving.store(isServed, ordering: .sequentiallyConsistent)
    }

    /// `st_dev` of the backing directory.
    package var rootDevice: UInt64 { UInt64(rootStatus.st_dev) }
}

/// What the kernel learns of an inode: its number and attributes, plain size included.
package struct Entry {
    package let inode: Inode
    package let attributes: stat
    package let cacheSeconds: Double
}

extension Tree {
    /// The names of the workspace's own directory are not there, and cannot be made.
    package func isHidden(_ name: Name, in parent: Inode) -> Bool {
        parent.node == InodeTable.rootNode && strcmp(name, Self.hiddenName) == 0
    }

    package func refuseHidden(_ name: Name, in parent: Inode) throws(Errno) {
        if isHidden(name, in: parent) { throw .notPermitted }
    }
}
