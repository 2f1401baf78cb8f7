// After an unclean end: what a crash left unfinished at the end of a file is mended before anyone
// sees the file.

internal import Glibc
package import MAMFormat
internal import MAMStore
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import Synchronization

extension FileSystem {
    /// Makes a file known that nobody has in use, with the size that its blocks tell: without zeros
    /// at its end, and as its last block has it, if that can be opened now.
    ///
    /// Before the kernel learns of its size: with the write-back cache it never takes a smaller one afterwards. Its status has to
    /// be asked for anew, whoever cut it.
    func recover(_ found: FoundFile, _ header: FileHeader) throws(Errno) -> Inode {
        guard try isUnfinished(found, header) else {
            return table.insert(found, .protected(header))
        }
        return try recovery.exclusive { () throws(Errno) in
            // Another thread was faster, and somebody may be writing by now.
            if let known = table.lookUp(BackingID(found.status)) { return known }
            mendSize(of: found, header)
            return table.insert(found, .protected(header))
        }
    }

    private func isUnfinished(_ found: FoundFile, _ header: FileHeader) throws(Errno) -> Bool {
        let file = found.mayRead ? found.handle : try openBacking(found.handle, O_RDONLY)
        let isLikely = try? UnfinishedTail.isLikely(
            in: file, of: header, physicalSize: Int64(found.status.st_size))
        return isLikely ?? false
    }

    private func mendSize(of found: FoundFile, _ header: FileHeader) {
        let before = found.status.st_size
        do throws(Errno) {
            let file = try openBacking(found.handle, O_RDWR)
            let hadZeros = try UnfinishedTail.mend(file, of: header, believesMark: false)
            if hadZeros { reportSize(of: found.handle, header, Int64(before)) }
        } catch { report(found.handle, header, "its size cannot be set: \(error)") }
        guard vault.isOpen(header) else { return }
        do throws(VaultError) {
            let file = try systemCall { () throws(Errno) in try openBacking(found.handle, O_RDWR) }
            _ = try mendEnd(of: vault.file(file), found.handle, header, mayCut: true)
        } catch { report(found.handle, header, "its end cannot be mended: \(error)") }
    }

    /// That takes the key. True if the file has another size now.
    private func mendEnd(
        of file: VaultFile, _ handle: Descriptor, _ header: FileHeader, mayCut: Bool
    ) throws(VaultError) -> Bool {
        let before = try systemCall { () throws(Errno) in try status(at: handle.raw, "").st_size }
        _ = try file.prepareCheck()
        switch try file.mendEnd(mayCut: mayCut) {
        case .cut:
            reportSize(of: handle, header, Int64(before))
            return true
        case .sealed:
            let what = "its end was sealed anew; content behind it may be missing"
            report(handle, header, what)
            return false
        case nil: return false
        }
    }

    private func reportSize(of handle: Descriptor, _ header: FileHeader, _ before: Int64) {
        guard let status = try? status(at: handle.raw, "") else { return }
        report(handle, header, "its size on disk is now \(status.st_size) and was \(before)")
    }

    private func report(_ handle: Descriptor, _ header: FileHeader, _ what: String) {
        let path = relativePath(of: handle) ?? ByteString("a removed file")
        vault.reportRecovery(of: path, owner: header.owner, what)
    }

    /// Looks every file up once, and mends the ends that need the key. The headers of what has to
    /// wait for it, one of each; nil if not all could be looked at. From then on a
    /// wrong end of any other file is not of that crash.
    ///
    /// A file whose class became stricter may not have been sealed anew any more.
    package func recoverAll() -> [FileHeader]? {
        var waiting: [FileHeader] = []
        let isWhole = walk(while: { !isStopping }) { found in
            let isMended = mendEnd(of: found.entry.inode, &waiting)
            vault.sealAnewSoon(found.entry.inode.header)
            return isMended
        }
        guard isWhole else { return nil }
        vault.uncertainEnds.narrow(to: Set(waiting.compactMap(\.sealing?.keyID)))
        return waiting
    }

    /// The same for what had to wait, each time that a key comes. False if the daemon stops first.
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
        guard vault.isOpen(header) else {
            // One of each key tells when it comes.
            let isKnown = waiting.contains { $0.sealing?.keyID == header.sealing?.keyID }
            if !isKnown, vault.awaitsKey(header) { waiting.append(header) }
            return true
        }
        do throws(VaultError) {
            try mendEnd(of: inode, header)
            return true
        } catch {
            report(inode.handle, header, "its end cannot be mended: \(error)")
            return false
        }
    }

    /// Before a file is opened whose key came after the kernel had learnt of its size. What fails
    /// is told by the thread that comes by all files.
    func mendUncertainEnd(of inode: Inode) {
        guard !isReadOnly, vault.uncertainEnds.areLeft, let header = headerOfWrongEnd(inode),
            vault.isOpen(header)
        else { return }
        try? mendEnd(of: inode, header)
    }

    /// Of a known file, by another size maybe: it is then looked up anew, as another inode. With
    /// the write-back cache the kernel never takes a smaller size of one that it knows.
    private func mendEnd(of inode: Inode, _ header: FileHeader) throws(VaultError) {
        awaitMakers()
        let isCut = try inode.withState { state throws(VaultError) in
            if state.isReplaced || state.isHeld || state.isConverting { return false }
            let file = try fileToChange(inode, &state)
            let mayCut = state.openCount == 0
            state.isReplaced = try mendEnd(of: file, inode.handle, header, mayCut: mayCut)
            return state.isReplaced
        }
        guard isCut else { return }
        table.disown(inode)
        cache.invalidateSoon(inode)
    }

    /// Nil where the end is right, or no crash's.
    private func headerOfWrongEnd(_ inode: Inode) -> FileHeader? {
        guard inode.isRegular, let header = inode.header, header.isManaged,
            vault.uncertainEnds.mayBeOfCrash(header), hasWrongEnd(inode, header)
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

    /// Until one comes, or goes for good: nobody waits for that of a wiped account. False if the
    /// daemon stops first.
    private func waitForKeys(of headers: [FileHeader]) -> Bool {
        let goneCount = headers.count(where: vault.isKeyGone)
        while !isStopping {
            let newsCount = vault.keyNews.count
            if headers.contains(where: vault.isOpen) { return true }
            if headers.count(where: vault.isKeyGone) != goneCount { return true }
            if !isStopping { vault.keyNews.wait(since: newsCount) }
        }
        return false
    }

    /// Removes what interrupted conversions left, whatever their number.
    package func removeLeftovers() {
        guard let workDirectory, !isReadOnly else { return }
        _ = try? MAMSystem.removeFiles(in: workDirectory.raw) { !ConvertedCopy.isOurs($0) }
    }

    /// What a crash left unfinished is mended when a file is first looked up.
    var recovers: Bool { !isReadOnly && vault.uncertainEnds.areAll }
}
