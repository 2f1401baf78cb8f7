// Resolves names to inodes and their attributes.

package import Glibc
internal import MAMFormat
package import MAMModel
package import MAMStore
package import MAMSystem
internal import MAMVault

/// Finds inodes by name and builds the kernel's view of them.
package struct Lookup: Sendable {
    package let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func lookUp(_ name: Name, in parent: UInt64) throws(Errno) -> Entry {
        try lookUp(name, in: tree.table.inode(parent))
    }

    private func lookUp(_ name: Name, in parent: Inode) throws(Errno) -> Entry {
        if tree.isHidden(name, in: parent) { throw .noEntry }
        return try lookUpEvenHidden(name, in: parent)
    }

    package func lookUpEvenHidden(_ name: Name, in parent: Inode) throws(Errno) -> Entry {
        try tree.evictor.makingRoom { () throws(Errno) in
            let before = epoch
            var mayBeRead = false
            if tree.holdsOpen {
                let status = try status(at: parent.handle.raw, name)
                if let known = try known(status, named: name, in: parent, since: before) {
                    return known
                }
                mayBeRead = isNewRegularFile(status)
            }
            let found = try FoundFile(name, in: parent.handle, mayBeRead: mayBeRead)
            return try enter(found, named: name, in: parent, since: before)
        }
    }

    /// For a directory entry: does not open a file whose inode is known.
    package func lookUp(_ item: DirectoryStream.Item, in parent: Inode) throws(Errno) -> Entry {
        let id = BackingID(device: tree.rootDevice, inode: item.number)
        let before = epoch
        if !before.recovers, !tree.repeatsNumbers, tree.table.known(id) != nil {
            guard let status = try? status(at: parent.handle.raw, item.name),
                let inode = tree.table.lookUp(BackingID(status))
            else { return try lookUp(item.name, in: parent) }
            let entry = try entry(inode, status, named: item.name, in: parent, since: before)
            if let entry { return entry }
            return try lookUp(item.name, in: parent)
        }
        guard tree.holdsOpen, item.kind == DT_REG, !tree.isHidden(item.name, in: parent) else {
            return try lookUp(item.name, in: parent)
        }
        return try tree.evictor.makingRoom { () throws(Errno) in
            let found = try FoundFile(item.name, in: parent.handle, mayBeRead: true)
            return try enter(
                found, named: item.name, in: parent, since: before,
                isNoted: !before.recovers && isNoted(found))
        }
    }

    /// For the kernel, which opens FIFOs and sockets without asking: through one that came into the
    /// backing directory, a contained program could hand over what it has read.
    package func admitted(_ entry: Entry) throws(Errno) -> Entry {
        guard entry.connects, Containment(tree.vault).isRequiredForSome else { return entry }
        tree.forget(entry.inode.node, count: 1)
        throw .accessDenied
    }

    /// Whether to open it for reading. A known inode already has a descriptor.
    private func isNewRegularFile(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && tree.table.known(BackingID(status)) == nil
    }

    /// A name that leads to a known file, as the kernel asks again after a minute: its descriptor
    /// keeps the number from another file. Nil, and not counted, if the file has to be looked at.
    private func known(
        _ status: stat, named name: Name, in parent: Inode, since before: Epoch
    ) throws(Errno) -> Entry? {
        guard !before.recovers, !tree.repeatsNumbers,
            let inode = tree.table.lookUp(BackingID(status))
        else { return nil }
        guard !inode.isRegular || inode.isRead && !inode.isShownAsSealed else {
            tree.forget(inode.node, count: 1)
            return nil
        }
        return try entry(inode, status, named: name, in: parent, since: before)
    }

    /// What to record before looking at a name.
    package struct Epoch {
        /// If recovery is over before the look-up, the status is not from before a repair.
        package let recovers: Bool
        fileprivate let lossCount: Int
        fileprivate let evictionCount: Int
    }

    package var epoch: Epoch {
        Epoch(
            recovers: EndRecovery(tree).recovers, lossCount: tree.table.lossCount,
            evictionCount: tree.table.evictionCount)
    }

    /// Returns an inode with its look-up counted; nil, not counted, if the caller has to look the
    /// name up again.
    ///
    /// Between the steps the file may have been replaced: before its inode was looked up, which
    /// then has none or another; or before the inode was asked for its size, so that the status
    /// belongs to the old file. So the count is compared last.
    private func entry(
        _ inode: Inode, _ status: stat, named name: Name, in parent: Inode, since before: Epoch
    ) throws(Errno) -> Entry? {
        var status = status
        // Another thread may have truncated the file, or the kernel have changed and forgotten it,
        // and the kernel keeps the first size that it learns.
        if before.recovers || tree.table.evictionCount != before.evictionCount {
            do throws(Errno) { status = try MAMSystem.status(at: inode.handle.raw, "") } catch {
                tree.forget(inode.node, count: 1)
                throw error
            }
        }
        let entry = entry(inode, status)
        guard tree.table.lossCount == before.lossCount else {
            tree.forget(inode.node, count: 1)
            return nil
        }
        inode.wasFound(name, in: parent.node)
        return entry
    }

    /// Makes an inode known to the kernel and counts the look-up. `before`: recorded before the
    /// file was found. `isNoted`: its header need not be read yet (``isNoted(_:)``).
    package func enter(
        _ found: FoundFile, named name: Name, in parent: Inode, since before: Epoch,
        isNoted: Bool = false
    ) throws(Errno) -> Entry {
        let status = found.status
        // Inode numbers are unique only within one file system, so other mounts inside the backing
        // directory are excluded.
        guard UInt64(status.st_dev) == tree.rootDevice else { throw .crossDevice }
        let inode: Inode
        tree.dropFormer(of: BackingID(status))
        if let known = tree.table.lookUp(BackingID(status)) {
            inode = known
        } else if tree.repeatsNumbers, tree.table.lossCount != before.lossCount {
            // What was found may be gone by now.
            return try lookUpEvenHidden(name, in: parent)
        } else {
            inode =
                isNoted
                ? tree.table.insert(unread: found)
                : try makeKnown(found, recovers: before.recovers)
            tree.evictor.wake(knownCount: tree.table.count)
        }
        // Also if a listing made it known while the header was read here.
        guard try isRight(inode, isNoted: isNoted) else {
            return try lookUpEvenHidden(name, in: parent)
        }
        let entry = try entry(inode, status, named: name, in: parent, since: before)
        if let entry { return entry }
        return try lookUpEvenHidden(name, in: parent)
    }

    private func makeKnown(_ found: FoundFile, recovers: Bool) throws(Errno) -> Inode {
        let facts = try facts(of: found)
        if recovers, let header = facts?.header {
            return try EndRecovery(tree).recover(found, header)
        }
        return tree.table.insert(found, facts)
    }

    private func facts(of found: FoundFile) throws(Errno) -> FileFacts? {
        guard found.mayRead else { return try facts(of: found.handle, found.status) }
        return try FileFacts(of: found.handle, physicalSize: Int64(found.status.st_size))
    }

    /// Reads a regular file's header; nil for other types, and if the daemon may not read it.
    package func facts(of handle: Descriptor, _ status: stat) throws(Errno) -> FileFacts? {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        do throws(Errno) {
            let file = try openBacking(handle, O_RDONLY)
            return try FileFacts(of: file, physicalSize: Int64(status.st_size))
        } catch {
            if error == .accessDenied || error == .notPermitted { return nil }
            throw error
        }
    }

    package func attributes(
        of node: UInt64, throughHandle: Bool, for caller: Caller
    ) throws(Errno) -> Entry {
        let inode = try tree.table.inode(node)
        // Found by another of its names; the kernel looks that up again.
        if inode.isRegular { tree.table.sentBack.ends(caller) }
        if inode.isReplaced { throw tree.table.sentBack.add(inode, for: caller) }
        // Through a handle the kernel asks before it writes into its cache: refused once the window
        // closes, so that no write is accepted whose key is about to be dropped.
        if throughHandle, tree.isStopping { throw .notConnected }
        if throughHandle, let file = inode.openFile {
            if let refusal = file.refusalOfCachedWrites {
                Auditing(tree).record(refusal, of: .use, inode, file.header, for: caller)
                throw refusal.errno
            }
        }
        return try entry(inode)
    }

    /// The current entry. A status from before a conversion would give a wrong size: that beyond
    /// the old file's header.
    package func entry(_ inode: Inode) throws(Errno) -> Entry {
        while true {
            let before = tree.table.lossCount
            let entry = entry(inode, try status(at: inode.handle.raw, ""))
            if tree.table.lossCount == before { return entry }
        }
    }

    package func entry(_ inode: Inode, _ status: stat) -> Entry {
        var attributes = status
        attributes.st_ino = UInt(tree.shownNumber(of: inode))
        let (size, header) = inode.view(ofPhysical: Int64(status.st_size))
        attributes.st_size = Int(size)
        return Entry(
            inode: inode, attributes: attributes,
            cacheSeconds: isClosed(header) || tree.isStopping ? 0 : Tree.cacheSeconds)
    }

    /// True if the inode's window is closed: the kernel must then ask each time.
    package func isClosed(_ inode: Inode) -> Bool {
        inode.isRegular && isClosed(inode.header)
    }

    private func isClosed(_ header: FileHeader?) -> Bool {
        guard let header, header.isManaged else { return false }
        return !tree.vault.isOpen(header)
    }

    package func openDirectory(
        _ node: UInt64, for caller: Caller
    ) throws(Errno) -> DirectoryStream {
        let inode = try tree.table.inode(node)
        let place = try tree.place(in: tree.openDirectories, for: caller)
        let moves =
            !tree.isReadOnly
            && tree.accessTimes.movesOfDirectory(try? status(at: inode.handle.raw, ""))
        return try tree.evictor.makingRoom { () throws(Errno) in
            try DirectoryStream(inode, place, movesAccessTime: moves)
        }
    }

}
