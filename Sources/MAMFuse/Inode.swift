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

/// Holds its file by an `O_PATH` descriptor, never by path: no rename can lead it astray, and while it
/// lives the inode number cannot be used again.
final class Inode: Sendable {
    /// The number by which the kernel asks for it.
    let node: UInt64
    let handle: Descriptor
    /// The file that it was when it became known, and under whose number it is shown.
    let id: BackingID
    private let current: Mutex<Current>
    let isRegular: Bool
    let isDirectory: Bool
    /// How often the kernel was told of this inode and has not forgotten it. Changed under the table's lock.
    let lookups = Atomic<UInt64>(0)
    /// Whether it is open, for who cannot wait for the state's lock.
    let isInUse = Atomic<Bool>(false)
    // Held while the backing file is opened; never taken under the table's lock.
    private let state: Mutex<State>

    private struct Current {
        /// The file that it is now: another one once it was written anew for another owner.
        var id: BackingID
        /// Keeps the number under which it is shown from being given to another file.
        var first: Descriptor?
    }

    struct State {
        /// Nil for what is not a regular file, or could not be read.
        var facts: FileFacts?
        /// Present while at least one handle is open, or the file is being checked.
        var file: VaultFile?
        var openCount = 0 { didSet { useCount += 1 } }
        /// How often ``openCount`` has changed, or the owner.
        var useCount = 0
        /// Checks that use ``file``, open or not; who opens the file meanwhile shares it.
        var checkCount = 0
        /// Handles that may write: while there are any, the kernel may hold content and a size that we do not know.
        var writerCount = 0
        /// Where the kernel last found it: enough to make the kernel forget it, and to tell an empty file's class when
        /// it is begun. A rename makes it stale: it is then forgotten later, and gets the class of where it was made.
        var lastParent: UInt64 = 0
        var lastName: [CChar] = []
        /// It is being written anew for another owner; it can be used meanwhile.
        var isConverting = false
        /// It is being mended, or moved away; nobody may open it meanwhile.
        var isHeld = false
        /// Another file stands at its name now: whoever opens it must look the name up again.
        var isReplaced = false
        var writeGuard = WriteGuard()
        /// Whether the shared backing descriptor may write.
        var isWritable = false
        /// A directory's class for new children, once it was read.
        var childClass: ChildClass = .unread
        /// A directory's owner for new children, once it was read.
        var childOwner: ChildOwner = .unread

        /// What its header says is then what is known of it.
        mutating func dropUnusedFile() {
            if openCount == 0, let file { facts = file.facts }
            if openCount == 0, checkCount == 0 { file = nil }
        }
    }

    init(node: UInt64, handle: Descriptor, status: stat, facts: FileFacts?) {
        self.node = node
        self.handle = handle
        id = BackingID(status)
        current = Mutex(Current(id: id))
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        state = Mutex(State(facts: facts))
    }

    func withState<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { state throws(Failure) in
            defer { isInUse.store(state.openCount > 0, ordering: .relaxed) }
            return try body(&state)
        }
    }

    /// The file that it is now.
    var backingID: BackingID { current.withLock { $0.id } }

    /// Makes it another file, under the same number for the kernel. The descriptor's number stays too: who uses it meanwhile has
    /// one file or the other.
    func become(_ file: Descriptor, _ id: BackingID) throws(Errno) {
        try current.withLock { current throws(Errno) in
            var first = current.first
            if first == nil { first = try reopen(handle.raw, openPathOnly) }
            try redirect(handle, to: file)
            current = Current(id: id, first: first)
        }
    }

    /// Nil while nobody but a check uses it.
    var openFile: VaultFile? { state.withLock { $0.openCount > 0 ? $0.file : nil } }

    /// False for what is not a regular file, and for one that could not be read: it may be anybody's.
    var isRead: Bool { state.withLock { $0.file != nil || $0.facts != nil } }

    var isReplaced: Bool { state.withLock { $0.isReplaced } }

    var cached: CachedFile {
        state.withLock { state in
            guard state.openCount > 0, let file = state.file else {
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
        let bytes = Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
        state.withLock { state in
            state.lastParent = parent
            state.lastName = bytes
        }
    }

    /// The size to show for a physical one.
    func plainSize(ofPhysical size: Int64) -> Int64 {
        guard isRegular else { return size }
        return state.withLock { state in
            state.file?.size ?? state.facts?.plainSize(ofPhysical: size) ?? size
        }
    }
}
