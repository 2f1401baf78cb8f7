// After an unclean end: repairs the end of a file before the kernel sees its size.

internal import Glibc
package import MAMFormat
package import MAMModel
internal import MAMStore
package import MAMSystem
package import MAMVault

/// Repairs the end of a file that a crash interrupted, when the file is first looked up.
package struct EndRecovery: Sendable {
    package let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Makes an unused file known with the size that its blocks imply: without zeros at its end,
    /// and as its last block says if that can be opened now.
    ///
    /// Before the kernel learns the size: with the write-back cache it never accepts a smaller one
    /// later. Read the status again afterwards, whichever thread truncated the file.
    package func recover(_ found: FoundFile, _ header: FileHeader) throws(Errno) -> Inode {
        guard try isUnfinished(found, header) else {
            return tree.table.insert(found, .protected(header))
        }
        return try tree.recovery.exclusive { () throws(Errno) in
            // Another thread was first, and a program may already be writing.
            if let known = tree.table.lookUp(BackingID(found.status)) { return known }
            mendSize(of: found, header)
            return tree.table.insert(found, .protected(header))
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
        guard tree.vault.isOpen(header) else { return }
        do throws(VaultError) {
            let file = try systemCall { () throws(Errno) in try openBacking(found.handle, O_RDWR) }
            _ = try mendEnd(of: Files(tree.vault).file(file), found.handle, header, mayCut: true)
        } catch { report(found.handle, header, "its end cannot be repaired: \(error)") }
    }

    /// Needs the key. True if the file's size changed.
    package func mendEnd(
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

    package func report(_ handle: Descriptor, _ header: FileHeader, _ what: String) {
        let path = tree.relativePath(of: handle) ?? ByteString("a removed file")
        FileAudit(tree.vault).reportRecovery(of: path, owner: header.owner, what)
    }

    /// True if files are repaired when first looked up.
    package var recovers: Bool { !tree.isReadOnly && tree.vault.openFiles.uncertainEnds.areAll }
}
