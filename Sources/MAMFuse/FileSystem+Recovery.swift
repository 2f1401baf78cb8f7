// After an unclean end: what a crash left unfinished at the end of a file is cut before anyone sees the file.

internal import CFuse3
internal import Glibc
internal import MAMFormat
internal import MAMStore
internal import MAMSystem
internal import MAMVault
internal import Synchronization

extension FileSystem {
    /// Makes a file known that nobody has in use, without its unfinished tail.
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
            cutTail(of: found, header)
            return table.insert(found, .protected(header))
        }
    }

    private func isUnfinished(_ found: FoundFile, _ header: FileHeader) throws(Errno) -> Bool {
        let file = found.mayRead ? found.handle : try openBacking(found.handle, O_RDONLY)
        let isLikely = try? UnfinishedTail.isLikely(
            in: file, of: header, physicalSize: Int64(found.status.st_size))
        return isLikely ?? false
    }

    private func cutTail(of found: FoundFile, _ header: FileHeader) {
        let status = found.status
        let name = "inode \(status.st_ino), a file of \(header.owner),"
        do throws(Errno) {
            let file = try openBacking(found.handle, O_RDWR)
            guard try UnfinishedTail.cut(file, of: header) else { return }
            let size = try MAMSystem.status(of: file.raw).st_size
            vault.reportRecovery(
                "\(name) was left unfinished by a crash: cut from \(status.st_size) to \(size) bytes on disk"
            )
        } catch {
            vault.reportRecovery(
                "\(name) was left unfinished by a crash, and cannot be cut: \(error)")
        }
    }

    /// Looks every file up once. True if that was done for all of them: from then on, what is zero at the end of a file is not
    /// of that crash.
    ///
    /// A file whose class became stricter may not have been sealed anew any more.
    package func recoverAll() -> Bool {
        let isDone = walk(while: { !isStopping }) { found in
            vault.sealAnewSoon(found.entry.inode.header)
            return true
        }
        if isDone { recovering.store(false, ordering: .sequentiallyConsistent) }
        return isDone
    }

    /// Removes what interrupted conversions left, whatever their number.
    package func removeLeftovers() {
        guard let workDirectory, !isReadOnly else { return }
        _ = try? MAMSystem.removeFiles(in: workDirectory.raw) { !ConvertedCopy.isOurs($0) }
    }

    /// What a crash left unfinished is mended when a file is first looked up.
    var recovers: Bool { recovering.load(ordering: .sequentiallyConsistent) }
}
