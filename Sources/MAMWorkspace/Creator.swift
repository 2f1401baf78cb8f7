// Making regular files, with their owner's header in them.

internal import Glibc
internal import MAMModel
internal import MAMStore
package import MAMSystem
package import MAMTree
internal import MAMVault

/// A file that was made and opened in one request.
package struct Creation {
    package let entry: Entry
    package let handle: OpenHandle
}

/// Makes regular files.
package struct Creator: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func create(
        _ name: Name, in parent: UInt64, mode: UInt32, flags: Int32, for caller: Caller
    ) throws(Errno) -> Creation {
        // The kernel gives such a file the name "/".
        if flags & openTemporary == openTemporary {
            return try makeFile(nil, in: parent, mode: mode, for: caller)
        }
        do throws(Errno) {
            return try makeFile(name, in: parent, mode: mode, for: caller)
        } catch {
            // Somebody else was faster. The kernel then looks again, checks the caller's rights on
            // what is there and opens it.
            throw error == .exists && flags & O_EXCL == 0 ? .staleHandle : error
        }
    }

    /// Makes a new file with its owner's header in it, open. Nothing is left behind on failure.
    ///
    /// `name`: nil for a file without one, which goes with its last handle if nobody links it.
    func makeFile(
        _ name: Name?, in parent: UInt64, mode: UInt32, for caller: Caller
    ) throws(Errno) -> Creation {
        if tree.isStopping { throw .notConnected }
        let parent = try tree.table.inode(parent)
        let place = try tree.place(in: tree.openFiles, for: caller)
        if let name { try tree.refuseHidden(name, in: parent) }
        let owner = DirectoryDefaults(tree).owner(of: parent, for: caller)
        // Asked first, so that a refusal makes no file.
        let asked = Classes(tree).childClass(of: parent)
        try Auditing(tree).auditing(.create, parent, nil, child: name, for: caller) {
            () throws(VaultError) in
            try Files(tree.vault).checkCreation(by: owner, asking: asked)
        }
        return try tree.makers.shared { () throws(Errno) in
            let mode = mode & ~S_IFMT
            let descriptor = try tree.evictor.makingRoom { () throws(Errno) in
                // Its attributes can be set by who may write to it.
                try makeEmptyFile(name, in: parent, mode: mode | S_IWUSR, for: caller)
            }
            return try begin(
                descriptor, isReadOnly: mode & S_IWUSR == 0, named: name, in: parent, as: owner,
                asking: asked, for: caller, place)
        }
    }

    /// Writes the header of a file that was just made; removes it where that fails.
    private func begin(
        _ descriptor: Descriptor, isReadOnly: Bool, named name: Name?, in parent: Inode,
        as owner: Identity, asking asked: ProtectionClass?, for caller: Caller,
        _ place: ShareSlot?
    ) throws(Errno) -> Creation {
        do throws(Errno) {
            let (file, id) = try leavingAsMade(descriptor, isReadOnly: isReadOnly) {
                () throws(Errno) in
                try Auditing(tree).auditing(.create, parent, nil, child: name, for: caller) {
                    () throws(VaultError) in
                    let file = Files(tree.vault).newFile(descriptor)
                    try Files(tree.vault).begin(file, as: owner, from: .new, asking: asked)
                    return file
                }
            }
            return try opened(
                file, enterNew(descriptor, id, file.facts, named: name, in: parent),
                by: caller, place)
        } catch {
            if let name { unlinkat(parent.handle.raw, name, 0) }
            throw error
        }
    }

    /// Waits for the files that are being made. The kernel keeps its callers from such a file until
    /// it is there, but not the daemon's own walks: who is about to change or check a file that a
    /// walk has found comes here first, or he would take it for empty, and its maker would not know
    /// of him.
    func awaitMakers() { tree.makers.exclusive {} }

    /// The first handle of a file that was made.
    private func opened(
        _ file: VaultFile, _ found: (inode: Inode, status: stat), by caller: Caller,
        _ place: ShareSlot?
    ) -> Creation {
        found.inode.withState { state in
            state.file = file
            // It may have been known as the empty file that it was at first.
            state.facts = file.facts
            state.isWritable = true
            state.openCount += 1
            state.lastOpener = caller.thread
            state.writerCount += 1
        }
        return Creation(
            entry: Lookup(tree).entry(found.inode, found.status),
            handle: OpenHandle(inode: found.inode, file: file, mayWrite: true, place))
    }

    /// Makes a new file known to the kernel, and counts the look-up. What is in its header is known
    /// without a look.
    private func enterNew(
        _ file: Descriptor, _ id: BackingID, _ facts: FileFacts, named name: Name?, in parent: Inode
    ) throws(Errno) -> (inode: Inode, status: stat) {
        let found = try find(file, id, named: name, in: parent)
        guard id.device == tree.rootDevice else { throw .crossDevice }
        let inode = tree.table.insert(found, facts)
        tree.evictor.wake(knownCount: tree.table.count)
        if let name { inode.wasFound(name, in: parent.node) }
        return (inode, found.status)
    }

    /// By its name, which is the shorter way, unless that is another file's by now.
    private func find(
        _ file: Descriptor, _ id: BackingID, named name: Name?, in parent: Inode
    ) throws(Errno) -> FoundFile {
        if let name, let found = try? FoundFile(name, in: parent.handle, mayBeRead: tree.holdsOpen),
            BackingID(found.status) == id
        {
            return found
        }
        let handle = try reopen(file.raw, openPathOnly)
        return FoundFile(
            handle: handle, status: try status(at: handle.raw, ""), mayRead: false)
    }

    /// Writes a new file's header, which is no change that its user made: it would take the set-id
    /// bits away, unless we are root, and move the time. Tells which file it is, too.
    ///
    /// `isReadOnly`: to its owner, from then on.
    private func leavingAsMade<Value>(
        _ file: Descriptor, isReadOnly: Bool, _ body: () throws(Errno) -> Value
    ) throws(Errno) -> (Value, BackingID) {
        let made = try status(of: file.raw)
        let value = try body()
        let mode = made.st_mode & 0o7777 & ~(isReadOnly ? S_IWUSR : 0)
        if isReadOnly || mode & (S_ISUID | S_ISGID) != 0 {
            _ = try retrying { fchmod(file.raw, mode) }
        }
        try setModificationTime(of: file.raw, to: offTheClock(made.st_mtim))
        return (value, BackingID(made))
    }

    /// A time at which the kernel's clock, which goes in steps of milliseconds, never stands. With
    /// the write-back cache the kernel owns the time, and tells it only if a write has moved it:
    /// one within the step in which the file was made would not.
    private func offTheClock(_ time: timespec) -> timespec {
        time.tv_nsec > 0
            ? timespec(tv_sec: time.tv_sec, tv_nsec: time.tv_nsec - 1)
            : timespec(tv_sec: time.tv_sec - 1, tv_nsec: 999_999_999)
    }

    private func makeEmptyFile(
        _ name: Name?, in parent: Inode, mode: mode_t, for caller: Caller
    ) throws(Errno) -> Descriptor {
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
