// Creates regular files with their owner's header.

internal import Glibc
package import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// A file created and opened in one request.
package struct Creation {
    package let entry: Entry
    package let handle: OpenHandle
}

/// Creates regular files.
package struct Creator: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func create(
        _ name: Name, in parent: UInt64, mode: UInt32, flags: Int32, for caller: Caller
    ) throws(Errno) -> Creation {
        // The kernel names such a file "/".
        if flags & openTemporary == openTemporary {
            return try makeFile(nil, in: parent, mode: mode, for: caller)
        }
        do throws(Errno) {
            return try makeFile(name, in: parent, mode: mode, for: caller)
        } catch {
            // Another thread was first. The kernel then looks the name up, checks the caller's
            // permissions and opens that file.
            throw error == .exists && flags & O_EXCL == 0 ? .staleHandle : error
        }
    }

    /// Creates and opens a file with its owner's header. Leaves nothing behind on failure.
    ///
    /// `name`: nil for an unnamed file, which disappears with its last handle unless it is linked.
    func makeFile(
        _ name: Name?, in parent: UInt64, mode: UInt32, for caller: Caller
    ) throws(Errno) -> Creation {
        if tree.isStopping { throw .notConnected }
        let parent = try tree.table.inode(parent)
        let place = try tree.place(in: tree.openFiles, for: caller)
        if let name { try tree.refuseReserved(name, in: parent, for: caller.user) }
        let maker = try answering { () throws(VaultError) in
            try Callers(tree.vault).found(for: caller)
        }
        // First, so that a refusal creates no file.
        let (owner, asked) = try Auditing(tree).auditing(
            .create, parent, nil, child: name, for: caller
        ) { () throws(VaultError) in
            try Admission(tree).creation(in: parent, by: maker)
        }
        return try tree.makers.shared { () throws(Errno) in
            let mode = mode & ~S_IFMT
            let descriptor = try tree.evictor.makingRoom { () throws(Errno) in
                // Setting attributes needs write permission.
                try makeEmptyFile(name, in: parent, mode: mode | S_IWUSR, for: caller)
            }
            return try begin(
                descriptor, mode: mode, named: name, in: parent, as: owner, asking: asked,
                for: caller, place)
        }
    }

    /// Writes the header of a newly created file; removes the file if that fails.
    private func begin(
        _ descriptor: Descriptor, mode: mode_t, named name: Name?, in parent: Inode,
        as owner: Identity, asking asked: ProtectionClass?, for caller: Caller,
        _ place: ShareSlot?
    ) throws(Errno) -> Creation {
        do throws(Errno) {
            let file = try keepingMode(of: descriptor, mode) { () throws(Errno) in
                try Auditing(tree).auditing(.create, parent, nil, child: name, for: caller) {
                    () throws(VaultError) in
                    try Files(tree.vault).newFile(descriptor, as: owner, asking: asked)
                }
            }
            return try opened(
                file, enterNew(descriptor, file.facts, named: name, in: parent),
                by: caller, place)
        } catch {
            if let name { unlinkat(parent.handle.raw, name, 0) }
            throw error
        }
    }

    /// Waits for file creations in progress. The kernel keeps its callers from such a file, but not
    /// the daemon's own walks: code that changes or checks files found by a walk calls this first.
    /// Otherwise it would take the file for empty, and the creating thread would not notice the
    /// change.
    func awaitMakers() { tree.makers.exclusive {} }

    /// The first handle of a newly created file.
    private func opened(
        _ file: VaultFile, _ found: (inode: Inode, status: stat), by caller: Caller,
        _ place: ShareSlot?
    ) -> Creation {
        let account = Containment(tree.vault).confined(file.header)
        let access = tree.accessToWrite
        found.inode.withState { state in
            state.file = file
            // It may already be known as the empty file that it first was.
            state.facts = file.facts
            state.isWritable = true
            state.addHandle(of: account, access, by: caller.thread)
        }
        return Creation(
            entry: Lookup(tree).entry(found.inode, offTheClock(found.status)),
            handle: OpenHandle(
                inode: found.inode, file: file, access, insideOf: account, place))
    }

    /// Makes a new file known to the kernel, and counts the look-up. Its header is known without
    /// reading it.
    private func enterNew(
        _ file: Descriptor, _ facts: FileFacts, named name: Name?, in parent: Inode
    ) throws(Errno) -> (inode: Inode, status: stat) {
        let number = tree.table.lastingNumber(of: file)
        let found = try find(file, number, named: name, in: parent)
        guard UInt64(found.status.st_dev) == tree.rootDevice else { throw .crossDevice }
        tree.dropFormer(of: BackingID(found.status))
        let inode = tree.table.insert(found, facts, new: number)
        tree.evictor.wake(knownCount: tree.table.count)
        if let name { inode.wasFound(name, in: parent.node) }
        return (inode, found.status)
    }

    /// By its name, which is faster, unless the name now leads to another file.
    private func find(
        _ file: Descriptor, _ number: NodeNumber?, named name: Name?, in parent: Inode
    ) throws(Errno) -> FoundFile {
        if let name, let found = try? FoundFile(name, in: parent.handle, mayBeRead: tree.holdsOpen),
            try isSame(found.status, as: file, number)
        {
            return found
        }
        let handle = try reopen(file.raw, openPathOnly)
        return FoundFile(
            handle: handle, status: try status(at: handle.raw, ""), mayRead: false)
    }

    /// A lasting number contains that of the file's inode, which nobody gets while it is open.
    private func isSame(
        _ status: stat, as file: Descriptor, _ number: NodeNumber?
    ) throws(Errno) -> Bool {
        guard let number else {
            return BackingID(status) == BackingID(try MAMSystem.status(of: file.raw))
        }
        let id = BackingID(
            device: tree.rootDevice, inode: FileHandles.inode(inNumber: number.node))
        return BackingID(status) == id
    }

    /// Writes a new file's header without the effect of a user's write, which would remove the
    /// set-id bits, unless we are root; and gives us the right to write that a user's umask, or a
    /// directory's default list, took from its owner.
    ///
    /// `mode`: as requested; its owner may not be allowed to write the file.
    private func keepingMode<Value>(
        of file: Descriptor, _ mode: mode_t, _ body: () throws(Errno) -> Value
    ) throws(Errno) -> Value {
        let isReadOnly = mode & S_IWUSR == 0
        let changes = isReadOnly || mode & (S_ISUID | S_ISGID) != 0
        guard changes || Self.daemonUser != 0 else { return try body() }
        let made = try status(of: file.raw).st_mode & 0o7777
        let mayWrite = made & S_IWUSR != 0
        if !mayWrite { _ = try retrying { fchmod(file.raw, made | S_IWUSR) } }
        let value = try body()
        if changes || !mayWrite {
            _ = try retrying { fchmod(file.raw, made & ~(isReadOnly ? S_IWUSR : 0)) }
        }
        return value
    }

    private static let daemonUser = geteuid()

    /// Tells the kernel a change time that its clock, which advances in milliseconds, never has.
    /// With the write-back cache the kernel manages the times, and sends them only if a write
    /// changed one: a write within the tick of the creation would not.
    private func offTheClock(_ status: stat) -> stat {
        var told = status
        told.st_ctim.tv_nsec += told.st_ctim.tv_nsec > 0 ? -1 : 1
        return told
    }

    private func makeEmptyFile(
        _ name: Name?, in parent: Inode, mode: mode_t, for caller: Caller
    ) throws(Errno) -> Descriptor {
        try tree.names.shared { () throws(Errno) in
            try caller.creating { () throws(Errno) in
                guard let name else {
                    return try openFile(
                        at: parent.handle.raw, ".", O_RDWR | openTemporary, mode: mode)
                }
                return try openFile(
                    at: parent.handle.raw, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY,
                    mode: mode)
            }
        }
    }
}
