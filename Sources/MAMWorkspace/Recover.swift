// After an unclean end: repairs the end of a file before its size is shown.

internal import Glibc
package import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Completes what a crash left unfinished in the tree.
package struct Recover: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Looks every file up once, and repairs the ends that need the key. Returns the headers of
    /// files whose key is missing, one per key; nil if some files could not be examined. From then
    /// on a wrong end of any other file is not due to that crash.
    ///
    /// It also covers a file whose class became stricter, but which was not sealed under a new key
    /// yet.
    package func recoverAll() -> [FileHeader]? {
        var waiting: [FileHeader] = []
        let isWhole = Walk(tree).walk(while: { !tree.isStopping }) { found in
            let isMended = mendEnd(of: found.entry.inode, &waiting)
            ClassPass(tree).sealAnewSoon(found.entry.inode.header)
            return isMended
        }
        guard isWhole else { return nil }
        tree.vault.openFiles.uncertainEnds.narrow(to: Set(waiting.compactMap(\.sealing?.keyID)))
        return waiting
    }

    /// Repairs the files that waited, whenever a key is loaded. False if the daemon stops first.
    package func recover(waiting: [FileHeader]) -> Bool {
        var waiting = waiting
        while !waiting.isEmpty {
            guard waitForKeys(of: waiting), let left = recoverAll() else { return false }
            waiting = left
        }
        return true
    }

    /// False if it failed.
    private func mendEnd(of inode: Inode, _ waiting: inout [FileHeader]) -> Bool {
        guard let header = headerOfWrongEnd(inode) else { return true }
        guard tree.vault.isOpen(header) else {
            // One file per key suffices to notice when it is loaded.
            let isKnown = waiting.contains { $0.sealing?.keyID == header.sealing?.keyID }
            if !isKnown, Protections(tree.vault).awaitsKey(header) { waiting.append(header) }
            return true
        }
        do throws(VaultError) {
            try mendEnd(of: inode, header)
            return true
        } catch {
            EndRecovery(tree).report(inode.handle, header, "its end cannot be repaired: \(error)")
            return false
        }
    }

    /// Before opening a file whose key was loaded after the kernel learnt its size. The thread that
    /// examines all files reports failures.
    func mendUncertainEnd(of inode: Inode) {
        guard !tree.isReadOnly, tree.vault.openFiles.uncertainEnds.areLeft,
            let header = headerOfWrongEnd(inode),
            tree.vault.isOpen(header)
        else { return }
        try? mendEnd(of: inode, header)
    }

    /// Repairs a known file. If its size changes, it is looked up again as another inode, because
    /// with the write-back cache the kernel never accepts a smaller size.
    private func mendEnd(of inode: Inode, _ header: FileHeader) throws(VaultError) {
        Creator(tree).awaitMakers()
        tree.table.awaitOpens(of: inode)
        let isCut = try inode.withState { state throws(VaultError) in
            if state.isReplaced || state.isHeld || state.isConverting { return false }
            let file = try Classes(tree).fileToChange(inode, &state)
            let isCut = try EndRecovery(tree).mendEnd(
                of: file, inode.handle, header, mayCut: state.openCount == 0)
            if isCut { tree.table.replace(inode, &state) }
            return isCut
        }
        if isCut { tree.cache.invalidateSoon(inode) }
    }

    /// Nil if the end is right, or not due to a crash.
    private func headerOfWrongEnd(_ inode: Inode) -> FileHeader? {
        guard inode.isRegular, let header = inode.header, header.isManaged,
            tree.vault.openFiles.uncertainEnds.mayBeOfCrash(header), hasWrongEnd(inode, header)
        else { return nil }
        return header
    }

    private func hasWrongEnd(_ inode: Inode, _ header: FileHeader) -> Bool {
        do throws(Errno) {
            let file = try openBacking(inode.handle, O_RDONLY)
            return try UnfinishedTail.isLikely(
                in: file, of: header, physicalSize: Int64(status(of: file.raw).st_size))
        } catch { return false }
    }

    /// Waits until a key is loaded or destroyed; a wiped account's is not waited for. False if the
    /// daemon stops first.
    private func waitForKeys(of headers: [FileHeader]) -> Bool {
        let goneCount = headers.count(where: tree.vault.isKeyGone)
        while !tree.isStopping {
            let newsCount = tree.vault.windows.keyNews.count
            if headers.contains(where: tree.vault.isOpen) { return true }
            if headers.count(where: tree.vault.isKeyGone) != goneCount { return true }
            if !tree.isStopping { tree.vault.windows.keyNews.wait(since: newsCount) }
        }
        return false
    }

    /// Removes what interrupted conversions left, any number of files.
    package func removeLeftovers() {
        guard let workDirectory = tree.workDirectory, !tree.isReadOnly else { return }
        _ = try? MAMSystem.removeFiles(in: workDirectory.raw) { !ConvertedCopy.isOurs($0) }
    }
}
