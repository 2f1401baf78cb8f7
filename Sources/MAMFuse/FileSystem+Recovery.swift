// After an unclean end: what a crash left unfinished at the end of a file is mended before anyone
// sees the file.

internal import CFuse3
internal import Glibc
package import MAMFormat
internal import MAMStore
internal import MAMSystem
internal import MAMVault
internal import Synchronization

extension FileSystem {
    /// Makes a file known that nobody has in use, with the size that its blocks tell.
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
            guard try UnfinishedTail.mend(file, of: header, mayGrow: false) else { return }
            let size = try MAMSystem.status(of: file.raw).st_size
            report(found.handle, header, "its size on disk is now \(size) and was \(before)")
        } catch { report(found.handle, header, "its size cannot be set: \(error)") }
    }

    private func report(_ handle: Descriptor, _ header: FileHeader, _ what: String) {
        let path = relativePath(of: handle) ?? ByteString("a removed file")
        vault.reportRecovery(of: path, owner: header.owner, what)
    }

    /// Looks every file up once, and seals anew the last blocks that need it. The headers of what
    /// has to wait for its key, one of each; nil if not all could be looked at. From then on a
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

    /// Seals the last block for the size that the file has: that takes the key. False if it failed.
    private func mendEnd(of inode: Inode, _ waiting: inout [FileHeader]) -> Bool {
        guard inode.isRegular, let header = inode.header, header.isManaged,
            vault.uncertainEnds.mayBeOfCrash(header), hasWrongEnd(inode, header)
        else { return true }
        guard vault.isOpen(header) else {
            // One of each key tells when it comes.
            let isKnown = waiting.contains { $0.sealing?.keyID == header.sealing?.keyID }
            if !isKnown, vault.awaitsKey(header) { waiting.append(header) }
            return true
        }
        do throws(VaultError) {
            let file = try beginCheck(inode)
            defer { endCheck(inode) }
            _ = try file.prepareCheck()
            try makeWritable(inode)
            if try file.mendEnd() {
                report(
                    inode.handle, header,
                    "its end was sealed anew; content behind it may be missing")
            }
            return true
        } catch {
            report(inode.handle, header, "its end cannot be sealed: \(error)")
            return false
        }
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
        while !headers.contains(where: vault.isOpen),
            headers.count(where: vault.isKeyGone) == goneCount
        {
            if isStopping { return false }
            usleep(100_000)
        }
        return true
    }

    /// Removes what interrupted conversions left, whatever their number.
    package func removeLeftovers() {
        guard let workDirectory, !isReadOnly else { return }
        _ = try? MAMSystem.removeFiles(in: workDirectory.raw) { !ConvertedCopy.isOurs($0) }
    }

    /// What a crash left unfinished is mended when a file is first looked up.
    var recovers: Bool { !isReadOnly && vault.uncertainEnds.areAll }
}
