// Opens, reads and writes regular files.

internal import Glibc
internal import MAMFormat
internal import MAMIdentity
package import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
package import MAMVault
internal import Synchronization

/// A kernel file handle: a reference to its inode's shared file.
package final class OpenHandle: Sendable {
    package let inode: Inode
    package let file: VaultFile
    package let access: Inode.State.Access
    package var mayWrite: Bool { access != .read }
    /// The failed syncs that it has reported.
    private let syncMark: Atomic<UInt64>
    /// The account that the file was confined to when it was opened.
    fileprivate let insideOf: AccountID?
    private let place: ShareSlot?

    init(
        inode: Inode, file: VaultFile, _ access: Inode.State.Access, insideOf: AccountID?,
        _ place: ShareSlot? = nil
    ) {
        self.place = place
        self.insideOf = insideOf
        self.inode = inode
        self.file = file
        self.access = access
        syncMark = Atomic(file.syncMark)
    }

    /// Also fails for a failed sync by a lock or another handle, which may have lost this one's
    /// data too.
    package func synchronize(dataOnly: Bool) throws(Errno) {
        do throws(Errno) { try file.synchronize(dataOnly: dataOnly) } catch {
            _ = file.takeSyncFailure(since: syncMark)
            throw error
        }
        if let failure = file.takeSyncFailure(since: syncMark) { throw failure }
    }
}

/// Opens, reads, writes and closes regular files.
package struct Handles: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// `handsOut`: false if the caller only changes the content and does not get it.
    package func open(
        _ node: UInt64, flags: Int32, for caller: Caller, handsOut: Bool = true
    ) throws(Errno) -> OpenHandle {
        let inode = try tree.table.inode(node)
        tree.table.sentBack.ends(caller)
        try Lookup(tree).readToOpen(inode, for: caller)
        Recover(tree).mendUncertainEnd(of: inode)
        let place = try tree.place(in: tree.openFiles, for: caller)
        let writes = flags & O_ACCMODE != O_RDONLY
        let truncates = flags & O_TRUNC != 0
        let demand = Demand(writes: writes, truncates: truncates, handsOut: handsOut)
        let access = writes ? tree.accessToWrite : .read
        var (seen, insideOf): (stat?, AccountID?)
        let file = try inode.withState { state throws(Errno) in
            guard inode.isRegular, !tree.isStopping else { throw .notConnected }
            // Makes the kernel look the name up again.
            if state.isReplaced { throw tree.table.sentBack.add(inode, for: caller) }
            if state.isHeld { throw .busy }
            let file = try backingFile(
                of: inode, &state, writes: writes || truncates, truncates: truncates, &seen,
                for: caller)
            try Auditing(tree).auditing(.open, inode, file.header, for: caller) {
                () throws(VaultError) in
                try admit(demand, of: file, inode, &state, for: caller)
            }
            if truncates { try Attributes(tree).clearSetIDBits(inode, for: caller) }
            if truncates { state.writeGuard.noteTruncation(by: caller.thread) }
            state.file = file
            insideOf = Containment(tree.vault).confined(file.header)
            state.addHandle(of: insideOf, access, by: caller.thread)
            if writes || truncates { inode.mayHaveChanged.store(true, ordering: .relaxed) }
            return file
        }
        if access == .write, tree.room.isLow { tree.cache.attend(to: inode) }
        if !writes, flags & openWithoutAccessTime == 0 { noteAccess(to: inode, file, seen) }
        return OpenHandle(
            inode: inode, file: file, access, insideOf: insideOf, place)
    }

    /// Updates the access time if the backing file system's rules require it. The kernel does not
    /// report reads from its cache, so opening for reading counts as a read.
    private func noteAccess(to inode: Inode, _ file: VaultFile, _ seen: stat?) {
        let isToMove = tree.accessTimes.moves(seen ?? (try? status(at: inode.handle.raw, "")))
        if isToMove, !tree.isReadOnly { file.noteAccess() }
    }

    /// For the daemon's own probes of an open file: needs neither window nor key.
    package func openForProbe(_ node: UInt64) throws(Errno) -> OpenHandle {
        let inode = try tree.table.inode(node)
        return try inode.withState { state throws(Errno) in
            guard let file = state.file else { throw .noEntry }
            let account = Containment(tree.vault).confined(file.header)
            state.addHandle(of: account, .read, by: state.lastOpener)
            return OpenHandle(inode: inode, file: file, .read, insideOf: account)
        }
    }

    /// Policy and settings may have changed since the file was written. A failure does not prevent
    /// its use.
    func updateClass(of file: VaultFile, _ inode: Inode, _ state: inout Inode.State) {
        guard !tree.isReadOnly, FileClasses(tree.vault).isOutOfDate(file.header) else { return }
        do throws(Errno) { try makeWritable(file, inode, &state) } catch {
            // A file that may not be written stays unchanged.
            if !error.forbidsWriting {
                FileAudit(tree.vault).reportStaleClass(of: file.header, VaultError(error))
            }
            return
        }
        do throws(VaultError) {
            try keepingSetIDBits(of: inode.handle) { () throws(VaultError) in
                try FileClasses(tree.vault).updateClass(of: file)
            }
            ClassPass(tree).sealAnewSoon(file.header)
        } catch { FileAudit(tree.vault).reportStaleClass(of: file.header, error) }
    }

    /// The inode's shared file, opened or made writable as needed. The caller holds the inode's
    /// state lock. `seen`: gets the status of a file that is opened.
    private func backingFile(
        of inode: Inode, _ state: inout Inode.State, writes: Bool, truncates: Bool,
        _ seen: inout stat?, for caller: Caller
    ) throws(Errno) -> VaultFile {
        if let file = state.file {
            if writes { try makeWritable(file, inode, &state) }
            return file
        }
        let (descriptor, isWritable) = try tree.evictor.makingRoom { () throws(Errno) in
            try openForUse(inode, writes: writes)
        }
        state.isWritable = isWritable
        seen = try? status(of: descriptor.raw)
        let size = seen.map { Int64($0.st_size) }
        return try Auditing(tree).auditing(.open, inode, nil, for: caller) {
            () throws(VaultError) in
            truncates
                ? try Files(tree.vault).fileToReplace(descriptor, knownSize: size)
                : try Unsealed(tree).takeIntoUse(descriptor, knownSize: size, state)
        }
    }

    private func makeWritable(
        _ file: VaultFile, _ inode: Inode, _ state: inout Inode.State
    ) throws(Errno) {
        if state.isWritable { return }
        let descriptor = try tree.evictor.makingRoom { () throws(Errno) in
            try openBacking(inode.handle, O_RDWR)
        }
        file.replaceDescriptor(descriptor)
        state.isWritable = true
    }

    /// Opens for reading and writing even if the caller only writes, because changing part of a
    /// block needs the rest of it.
    func openForUse(
        _ inode: Inode, writes: Bool
    ) throws(Errno) -> (Descriptor, isWritable: Bool) {
        if !writes, let file = inode.descriptorToRead() { return (file, false) }
        do throws(Errno) {
            return (try openBacking(inode.handle, O_RDWR), true)
        } catch {
            guard !writes, error.forbidsWriting else { throw error }
            return (try openBacking(inode.handle, O_RDONLY), false)
        }
    }

    package func read(
        _ handle: OpenHandle, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64,
        for caller: Caller
    ) throws(Errno) -> Int {
        // Nothing is made of the tree before there is an error: its count of references is on one
        // line for all processors.
        do throws(VaultError) { return try handle.file.read(into: buffer, at: offset) } catch {
            let file = handle.file
            Auditing(tree).record(error, of: .read, handle.inode, file.header, for: caller)
            if [.noKey, .keyRevoked].contains(error.errno) {
                tree.cache.invalidateSoon(handle.inode)
            }
            throw error.errno
        }
    }

    package func write(
        _ handle: OpenHandle, _ bytes: UnsafeRawBufferPointer, at offset: Int64, for caller: Caller
    ) throws(Errno) {
        try Attributes(tree).clearSetIDBits(handle.inode, for: caller)
        try answering { () throws(VaultError) in try handle.file.write(bytes, at: offset) }
    }

    package func synchronize(_ handle: OpenHandle, dataOnly: Bool) throws(Errno) {
        // Data not stored yet is lost, which the sync must report.
        if handle.file.isRevoked { throw .keyRevoked }
        let finished = Result { () throws(Errno) in
            try answering { () throws(VaultError) in try handle.file.finish() }
        }
        // What was stored is made durable nevertheless.
        try handle.synchronize(dataOnly: dataOnly)
        try finished.get()
    }

    package func release(_ handle: OpenHandle) {
        if handle.mayWrite {
            handle.file.finishUnasked()
            Attributes(tree).restoreToldModification(handle.inode)
        }
        let last: VaultFile? = handle.inode.withState { state in
            state.removeHandle(of: handle.insideOf, handle.access)
            guard state.openCount == 0 else { return nil }
            state.writeGuard.allAreClosed()
            let file = state.file
            state.dropUnusedFile()
            return file
        }
        if let last, Files(tree.vault).closed(last) { tree.cache.invalidateSoon(handle.inode) }
    }

    /// Changes the inode's file, opening it if necessary.
    func withFile<Result>(
        of node: UInt64, _ handle: OpenHandle?, for caller: Caller,
        _ body: (VaultFile) throws(VaultError) -> Result
    ) throws(Errno) -> Result {
        if let handle { return try answering { () throws(VaultError) in try body(handle.file) } }
        let handle = try open(node, flags: O_RDWR, for: caller, handsOut: false)
        defer { release(handle) }
        return try answering { () throws(VaultError) in try body(handle.file) }
    }
}

extension Errno {
    /// True if the file cannot be written but may be readable.
    fileprivate var forbidsWriting: Bool {
        [.accessDenied, .readOnly, .notPermitted, .textBusy].contains(self)
    }
}
