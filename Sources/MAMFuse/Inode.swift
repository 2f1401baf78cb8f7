// One file of the mount, as long as the kernel knows it.

internal import CFuse3
internal import Glibc
internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import MAMVault
internal import Synchronization

/// A file's identity on the backing file systems; hard links share it.
struct BackingID: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// Holds its file by a descriptor (``FoundFile``), never by path: no rename can lead it astray, and while it
/// lives the inode number cannot be used again.
final class Inode: Sendable {
    /// The number by which the kernel asks for it.
    let node: UInt64
    /// Told with the number: of another generation, the number is another file's to the kernel.
    let generation: UInt32
    /// How many had become known before it.
    let order: UInt64
    let handle: Descriptor
    /// The file that it was when it became known, and under whose number it is shown.
    let id: BackingID
    private let moved = Mutex<Moved?>(nil)
    let isRegular: Bool
    let isDirectory: Bool
    /// Of the handle, until the inode becomes another file.
    let mayRead: Bool
    /// How often the kernel was told of this inode and has not forgotten it. Changed under the table's lock.
    let lookups = Atomic<UInt64>(0)
    /// Whether it is open, for who cannot wait for the state's lock.
    let isInUse = Atomic<Bool>(false)
    // Held while the backing file is opened; never taken under the table's lock.
    private let state: Mutex<State>

    /// What few inodes have: another file than the one that they were.
    private final class Moved: Sendable {
        /// The file that it is now, once it was written anew for another owner.
        let id: BackingID
        /// Keeps the number under which it is shown from being given to another file.
        let first: Descriptor

        init(_ id: BackingID, first: Descriptor) {
            self.id = id
            self.first = first
        }
    }

    init(_ number: NodeNumber, order: UInt64, _ found: FoundFile, facts: FileFacts?) {
        node = number.node
        generation = number.generation
        self.order = order
        handle = found.handle
        mayRead = found.mayRead
        id = BackingID(found.status)
        isRegular = found.status.st_mode & S_IFMT == S_IFREG
        isDirectory = found.status.st_mode & S_IFMT == S_IFDIR
        state = Mutex(State(facts: facts))
    }

    func withState<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { state throws(Failure) in
            defer {
                isInUse.store(state.openCount > 0, ordering: .relaxed)
                state.dropUses()
            }
            return try body(&state)
        }
    }

    /// The file that it is now.
    var backingID: BackingID { moved.withLock { $0?.id ?? id } }

    /// What it has to keep when it becomes another file: of the file that it was at first, a descriptor.
    func firstFile() throws(Errno) -> Descriptor {
        try moved.withLock { moved throws(Errno) in
            if let moved { return moved.first }
            return try reopen(handle.raw, openPathOnly)
        }
    }

    /// Makes it another file, under the same number for the kernel. The descriptor's number stays too: who uses it meanwhile has
    /// one file or the other. `first`: from before.
    func become(_ file: Descriptor, _ id: BackingID, first: Descriptor) throws(Errno) {
        try moved.withLock { moved throws(Errno) in
            try redirect(handle, to: file)
            moved = Moved(id, first: first)
        }
    }

    /// A descriptor to read the file's content by: one of its own, since the handle may become another file's. Nil if the handle may
    /// not read, or there is no room for one more.
    func descriptorToRead() -> Descriptor? {
        moved.withLock { moved in
            guard mayRead, moved == nil else { return nil }
            return try? duplicate(handle.raw)
        }
    }

    /// Nil while nobody but a check uses it.
    var openFile: VaultFile? { state.withLock { $0.openCount > 0 ? $0.file : nil } }

    /// False for what is not a regular file, and for one that could not be read: it may be anybody's.
    var isRead: Bool { state.withLock { $0.file != nil || $0.facts != nil } }

    var isReplaced: Bool { state.withLock { $0.isReplaced } }

    var cached: CachedFile {
        state.withLock { state in
            // Of one that is being converted the header tells what it was.
            guard state.openCount > 0 || state.isConverting, let file = state.file else {
                return .closed(state.facts?.header)
            }
            return .open(file)
        }
    }

    /// What the header says: of the open file as it is now, else as read when the inode became known.
    var header: FileHeader? {
        state.withLock { $0.file.map { $0.header } ?? $0.facts?.header }
    }

    func wasFound(_ name: Name, in parent: UInt64) {
        let name = LastName(name)
        state.withLock { state in
            state.lastParent = parent
            state.lastName = name
        }
    }

    /// The size to show for a physical one, and the header that it follows from.
    func view(ofPhysical size: Int64) -> (size: Int64, header: FileHeader?) {
        guard isRegular else { return (size, nil) }
        return state.withLock { state in
            if let file = state.file { return (file.size, file.header) }
            return (state.facts?.plainSize(ofPhysical: size) ?? size, state.facts?.header)
        }
    }
}
