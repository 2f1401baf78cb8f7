// One file of the mount, as long as the kernel knows it.

package import Glibc
package import MAMFormat
internal import MAMModel
package import MAMStore
package import MAMSystem
package import MAMVault
package import Synchronization

/// A file's identity on the backing file systems; hard links share it.
package struct BackingID: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    package init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// Holds its file by a descriptor (``FoundFile``), never by path: no rename can lead it astray, and
/// while it lives the inode number cannot be used again.
package final class Inode: Sendable {
    /// The number by which the kernel asks for it.
    package let node: UInt64
    /// Told with the number: of another generation, the number is another file's to the kernel.
    package let generation: UInt32
    /// How many had become known before it.
    package let order: UInt64
    package let handle: Descriptor
    /// The file that it was when it became known, and under whose number it is shown.
    package let id: BackingID
    private let moved = Mutex<Moved?>(nil)
    package let isRegular: Bool
    package let isDirectory: Bool
    /// Of the handle, until the inode becomes another file.
    package let mayRead: Bool
    /// How often the kernel was told of this inode and has not forgotten it. Changed under the
    /// table's lock.
    package let lookups = Atomic<UInt64>(0)
    /// Whether it is open, for who cannot wait for the state's lock.
    package let isInUse = Atomic<Bool>(false)
    // Held while the backing file is opened; never taken under the table's lock.
    private let state: Mutex<State>

    /// What few inodes have: another file than the one that they were.
    private final class Moved: Sendable {
        /// The file that it is now, once it was written anew for another owner.
        package let id: BackingID
        /// Keeps the number under which it is shown from being given to another file.
        package let first: Descriptor

        package init(_ id: BackingID, first: Descriptor) {
            self.id = id
            self.first = first
        }
    }

    package init(_ number: NodeNumber, order: UInt64, _ found: FoundFile, facts: FileFacts?) {
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

    package func withState<Result, Failure: Error>(
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
    package var backingID: BackingID { moved.withLock { $0?.id ?? id } }

    /// What it has to keep when it becomes another file: of the file that it was at first, a
    /// descriptor.
    package func firstFile() throws(Errno) -> Descriptor {
        try moved.withLock { moved throws(Errno) in
            if let moved { return moved.first }
            return try reopen(handle.raw, openPathOnly)
        }
    }

    /// Makes it another file, under the same number for the kernel. The descriptor's number stays
    /// too: who uses it meanwhile has one file or the other. `first`: from before.
    package func become(_ file: Descriptor, _ id: BackingID, first: Descriptor) throws(Errno) {
        try moved.withLock { moved throws(Errno) in
            try redirect(handle, to: file)
            moved = Moved(id, first: first)
        }
    }

    /// A descriptor to read the file's content by: one of its own, since the handle may become
    /// another file's. Nil if the handle may not read, or there is no room for one more.
    package func descriptorToRead() -> Descriptor? {
        moved.withLock { moved in
            guard mayRead, moved == nil else { return nil }
            return try? duplicate(handle.raw)
        }
    }

    /// Nil while nobody but a check uses it.
    package var openFile: VaultFile? { state.withLock { $0.openCount > 0 ? $0.file : nil } }

    /// False for what is not a regular file, and for one that could not be read: it may be
    /// anybody's.
    package var isRead: Bool { state.withLock { $0.file != nil || $0.facts != nil } }

    package var isReplaced: Bool { state.withLock { $0.isReplaced } }

    package var cached: CachedFile {
        state.withLock { state in
            // Of one that is being converted the header tells what it was.
            guard state.openCount > 0 || state.isConverting, let file = state.file else {
                return .closed(state.facts?.header)
            }
            return .open(file)
        }
    }

    /// What the header says: of the open file as it is now, else as read when the inode became
    /// known.
    package var header: FileHeader? {
        state.withLock { $0.file.map { $0.header } ?? $0.facts?.header }
    }

    package func wasFound(_ name: Name, in parent: UInt64) {
        let name = LastName(name)
        state.withLock { state in
            state.lastParent = parent
            state.lastName = name
        }
    }

    /// The size to show for a physical one, and the header that it follows from.
    package func view(ofPhysical size: Int64) -> (size: Int64, header: FileHeader?) {
        guard isRegular else { return (size, nil) }
        return state.withLock { state in
            if let file = state.file { return (file.size, file.header) }
            return (state.facts?.plainSize(ofPhysical: size) ?? size, state.facts?.header)
        }
    }
}
