// One file of the mount, while the kernel knows it.

package import Glibc
package import MAMFormat
package import MAMModel
package import MAMStore
package import MAMSystem
package import MAMVault
package import Synchronization

/// Identifies a file on the backing file systems; hard links share it.
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

/// Refers to its file by descriptor (``FoundFile``), never by path: a rename cannot mislead it, and
/// the inode number is not reused while it exists.
package final class Inode: Sendable {
    /// The kernel's number for it.
    package let node: UInt64
    /// Sent with the number: if it differs, the kernel treats the number as another file's.
    package let generation: UInt32
    /// Its position in the order of look-up.
    package let order: UInt64
    package let handle: Descriptor
    /// The file as first looked up, under whose number it is shown.
    package let id: BackingID
    private let moved = Mutex<Moved?>(nil)
    package let isRegular: Bool
    package let isDirectory: Bool
    /// Whether ``handle`` may read, until the inode refers to another file.
    package let mayRead: Bool
    /// The kernel's look-up count. Changed under the table's lock.
    package let lookups = Atomic<UInt64>(0)
    /// Whether it is open, for callers that cannot wait for the state's lock.
    package let isInUse = Atomic<Bool>(false)
    /// Whether its attributes may differ from what the kernel was told first. Set before they
    /// change.
    package let mayHaveChanged: Atomic<Bool>
    /// Data from the kernel's cache was stored after the kernel had told the modification time.
    package let hasStoredSinceTold = Atomic<Bool>(false)
    /// The file while ``isInUse``, for callers that must not wait for the disk.
    private let fileInUse = Mutex<VaultFile?>(nil)
    // Held while the backing file is opened, and its times are set; never taken under the table's
    // lock.
    private let state: Mutex<State>

    /// For the few inodes that now refer to another file.
    private final class Moved: Sendable {
        /// Its current file, after a rewrite for another owner.
        package let id: BackingID
        /// Keeps the shown inode number from being reused.
        package let first: Descriptor

        package init(_ id: BackingID, first: Descriptor) {
            self.id = id
            self.first = first
        }
    }

    package init(
        _ number: NodeNumber, order: UInt64, _ found: FoundFile, facts: FileFacts?,
        isListed: Bool = false, isNew: Bool = false
    ) {
        node = number.node
        generation = number.generation
        self.order = order
        handle = found.handle
        mayRead = found.mayRead
        id = BackingID(found.status)
        isRegular = found.status.st_mode & S_IFMT == S_IFREG
        isDirectory = found.status.st_mode & S_IFMT == S_IFDIR
        mayHaveChanged = Atomic(isNew)
        state = Mutex(State(facts: facts, isListed: isListed, isNew: isNew))
    }

    package func withState<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { state throws(Failure) in
            defer {
                noteUse(state)
                state.dropUses()
            }
            return try body(&state)
        }
    }

    private func noteUse(_ state: State) {
        let isOpen = state.openCount > 0
        guard isOpen || isInUse.load(ordering: .relaxed) else { return }
        let file = isOpen ? state.file : nil
        // The last reference, whose end may close the file, does not go under this lock.
        let former = fileInUse.withLock { held in
            defer { held = file }
            return held
        }
        isInUse.store(isOpen, ordering: .relaxed)
        withExtendedLifetime(former) {}
    }

    /// Its current file.
    package var backingID: BackingID { moved.withLock { $0?.id ?? id } }

    /// A descriptor of the original file, to keep once the inode refers to another one.
    package func firstFile() throws(Errno) -> Descriptor {
        try moved.withLock { moved throws(Errno) in
            if let moved { return moved.first }
            return try reopen(handle.raw, openPathOnly)
        }
    }

    /// Makes it refer to another file under the same kernel number. The descriptor's number stays
    /// too, so that a concurrent user sees one file or the other. `first`: the result of
    /// ``firstFile()``.
    package func become(_ file: Descriptor, _ id: BackingID, first: Descriptor) throws(Errno) {
        try moved.withLock { moved throws(Errno) in
            try redirect(handle, to: file)
            moved = Moved(id, first: first)
        }
    }

    /// Makes the handle one of a name that the file has got, after it had none: its path would be
    /// that of a deleted file for ever.
    package func follow(_ name: Name, in directory: Descriptor) {
        moved.withLock { moved in
            guard !mayRead,
                let file = try? MAMSystem.openFile(
                    at: directory.raw, name, openPathOnly | O_NOFOLLOW),
                let found = try? status(at: file.raw, ""),
                BackingID(found) == moved?.id ?? id
            else { return }
            try? redirect(handle, to: file)
        }
    }

    /// Its own descriptor for reading the content, because the handle may change to another file.
    /// Nil if the handle may not read, or no descriptor is left.
    package func descriptorToRead() -> Descriptor? {
        moved.withLock { moved in
            guard mayRead, moved == nil else { return nil }
            return try? duplicate(handle.raw)
        }
    }

    /// Keeps the file that is in use, also if it is closed, until ``letFileGo()``.
    package func keepFile() { withState { $0.checkCount += 1 } }

    package func letFileGo() {
        withState { state in
            state.checkCount -= 1
            state.dropUnusedFile()
        }
    }

    /// Nil if it is unused, or only a check uses it.
    package var openFile: VaultFile? { state.withLock { $0.openCount > 0 ? $0.file : nil } }

    /// False unless its header was read: a file without one may be any account's.
    package var isRead: Bool { state.withLock { $0.file != nil || $0.facts != nil } }

    package var isUnread: Bool { state.withLock { $0.isUnread } }

    /// Whether its header is to be read, or read again, before anything is decided by it.
    package var isShownAsSealed: Bool { state.withLock { $0.isShownAsSealed } }

    package var isReplaced: Bool { state.withLock { $0.isReplaced } }

    package var cached: CachedFile {
        if let file = fileInUse.withLock({ $0 }) { return .open(file) }
        return state.withLock { state in
            // While it is being converted, the header says what it was.
            guard state.isConverting, let file = state.file else {
                return .closed(state.facts?.header)
            }
            return .open(file)
        }
    }

    /// The thread that opened it last; nil while that would wait for the disk.
    package var lastOpener: Int32? { state.withLockIfAvailable { $0.lastOpener } }

    /// The header of the open file, else as read at the first look-up.
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

    /// The size to show for a physical size, and the header that it was derived from.
    package func view(ofPhysical size: Int64) -> (size: Int64, header: FileHeader?) {
        guard isRegular else { return (size, nil) }
        return state.withLock { state in
            if let file = state.file { return (file.size, file.header) }
            if state.isShownAsSealed {
                return (Extent(physicalSize: size)?.plainSize ?? size, nil)
            }
            return (state.facts?.plainSize(ofPhysical: size) ?? size, state.facts?.header)
        }
    }
}
