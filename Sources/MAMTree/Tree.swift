// A backing directory as inodes and names, shared by all use cases.

package import Glibc
package import MAMModel
package import MAMSystem
package import MAMVault
package import Synchronization

/// The shared state of one backing directory: its vault, its inodes, and the locks over its names.
/// Works without a mount.
package final class Tree: Sendable {
    package let vault: Vault
    package let root: Descriptor
    /// On what the daemon wrote into the backing directory.
    package let marks: Marks
    package let table: InodeTable
    /// Nil where files cannot be found by number.
    package let handles: FileHandles?
    package let searches = Searches()
    package let listed = ListedFiles()
    /// On the root's file system, for files to be renamed into place. Nil only on a read-only tree.
    package let workDirectory: Descriptor?
    private let place: Mutex<(path: ByteString, mount: OwnMount?)>
    /// Mounted read-only: the backing directory is not written either.
    package let isReadOnly: Bool
    /// Held exclusively while a file is repaired.
    package let recovery = ReadWriteLock()
    private let rootStatus: stat
    /// Whether a file that has two names stays the same file by each (`StoreProbe.Need.links`).
    package let keepsLinks: Bool
    /// Whether a number that an inode has may be another file's now (``dropFormer(of:)``).
    let repeatsNumbers: Bool
    /// Whether known files may be held open for reading: on other file systems that would use
    /// memory of another program or machine.
    package let holdsOpen: Bool
    /// Whether headers may come from a disk, so that reading several in parallel pays.
    package let readsAhead: Bool
    package let mounted = Mutex(Mounted(cache: NoKernelCache(), transport: { Transport(.device) }))
    package let evictor = Evictor()
    /// For what the kernel has taken and not yet written.
    package let room = Room()
    package let accessTimes: AccessTimeRule
    /// Limits users' open files and directories; an open directory has a buffer in the C library.
    package let openFiles: Shares
    package let openDirectories = Shares(total: 4096)
    /// Shared by operations that make or change names; exclusive while a converted file replaces
    /// another, so that its directory keeps its modification time and loses no later one. Never
    /// held across a walk, which would block every such operation on all serving threads.
    package let names = ReadWriteLock()
    /// Shared by operations that change a file's mode, owner, times or attributes; exclusive while
    /// a converted file takes these over and then replaces the original, so that no change goes to
    /// the old file. Its holder takes no other lock except that of ``changeMode(_:to:)``.
    package let metadata = ReadWriteLock()
    /// Shared by operations that create files, from the name to the first handle; ``awaitMakers()``
    /// takes it exclusively for a moment.
    package let makers = ReadWriteLock()
    /// Renames that may have moved a file past a walk; changed under `names`.
    package let moves = Atomic<Int>(0)
    /// Header changes that require new file keys.
    package let keyChanges = Atomic<Int>(0)
    /// The daemon's threads that open files in the mount for root, against policy.
    package let overridingThreads = Mutex<Set<Int32>>([])
    private let stopping = Atomic<Bool>(false)
    private let serving = Atomic<Bool>(false)
    private let onReady: @Sendable (Tree) -> Void

    /// The workspace's own directory at the top of the backing directory; not visible in the mount.
    package static let hiddenName = ".mamd"

    /// How long the kernel may cache names and attributes: the daemon is the only writer, and
    /// invalidates what it changes itself.
    package static let cacheSeconds = 60.0

    /// `workspace`: its id. `root`: the backing directory, opened with `O_PATH`. `workDirectory`:
    /// the workspace's own directory for temporary files. `onReady`: called once, after the
    /// kernel's first request was answered.
    package init(
        vault: Vault, workspace: Bytes16 = .zero, root: Descriptor, workDirectory: Descriptor?,
        mountPoint: ByteString,
        isReadOnly: Bool, keepsLinks: Bool? = nil, onReady: @escaping @Sendable (Tree) -> Void
    ) throws(Errno) {
        self.onReady = onReady
        self.workDirectory = workDirectory
        place = Mutex((mountPoint, nil))
        self.isReadOnly = isReadOnly
        self.vault = vault
        marks = Marks(of: workspace, by: vault.keyring)
        self.root = root
        openFiles = Shares(total: evictor.openLimit)
        accessTimes = AccessTimeRule(of: root, shownAt: mountPoint)
        let kind = try FileSystemKind(of: root)
        holdsOpen = kind.isLocal
        repeatsNumbers = !kind.isLocal
        self.keepsLinks = keepsLinks ?? kind.isLocal
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

    package func setMount(_ mount: OwnMount?) { place.withLock { $0.mount = mount } }

    /// Absolute, without a trailing slash: where the mount is now, since a directory above it may
    /// have been renamed.
    package var mountPoint: ByteString {
        let (last, mount) = place.withLock { $0 }
        guard let path = mount?.place, path != last else { return last }
        place.withLock { $0.path = path }
        return path
    }

    /// Without a look at the mount table.
    package var lastMountPoint: ByteString { place.withLock { $0.path } }

    /// Of the mount, whatever covers it by now; nil before there is one.
    package var mountNumber: String? { place.withLock { $0.mount?.device } }

    /// `st_dev` of the mount, from the mount table: a question to the mount would wait behind all
    /// other requests. 0 before there is one.
    package var mountDevice: UInt64 { place.withLock { $0.mount?.deviceNumber } ?? 0 }

    /// Whether the backing directory was deleted: what is written there now has no name, and ends
    /// with the mount.
    package var isBackingGone: Bool { isGone(root) }

    /// Whether the workspace's own directory in it was. Files do without it, but for changes of
    /// their owners, and the next mount is refused until it is made anew.
    package var isOwnDirectoryGone: Bool { workDirectory.map(isGone) ?? false }

    private func isGone(_ directory: Descriptor) -> Bool {
        do throws(Errno) { return try status(at: directory.raw, "").st_nlink == 0 } catch {
            return error.meansGone
        }
    }

    /// A slot among the user's open files, held as long as the handle; nil for callers without a
    /// limit.
    package func place(in shares: Shares, for caller: Caller) throws(Errno) -> ShareSlot? {
        guard Shares.bind(caller.user) else { return nil }
        guard let place = ShareSlot(in: shares, for: caller.user) else { throw .tooManyOpenFiles }
        return place
    }

    /// True once the daemon is stopping: it refuses to open files and to let writes into the
    /// kernel's cache.
    package var isStopping: Bool { stopping.load(ordering: .sequentiallyConsistent) }

    package func beginStopping() {
        stopping.store(true, ordering: .sequentiallyConsistent)
        vault.windows.keyNews.tell()
    }

    /// True while the mount serves; only then can accounts' files be walked, wiped or sealed again.
    package var isServed: Bool { serving.load(ordering: .sequentiallyConsistent) }

    package func setServed(_ isServed: Bool) {
        serving.store(isServed, ordering: .sequentiallyConsistent)
    }

    /// `st_dev` of the backing directory.
    package var rootDevice: UInt64 { UInt64(rootStatus.st_dev) }
}

/// What the kernel learns about an inode: its number and attributes, with the plain size.
package struct Entry {
    package let inode: Inode
    package let attributes: stat
    package let cacheSeconds: Double

    /// Whether the kernel opens it without asking.
    package var connects: Bool { MAMTree.connects(attributes.st_mode) }
}

/// True for FIFOs and sockets: the kernel connects those who open them.
package func connects(_ mode: mode_t) -> Bool {
    mode & S_IFMT == S_IFIFO || mode & S_IFMT == S_IFSOCK
}
