// Removing the files of a wiped account.

internal import CFuse3
internal import Glibc
package import MAMFormat
internal import MAMStore
internal import MAMSystem
package import MAMVault

extension FileSystem {
    /// A file that is moved or linked meanwhile may be missed by one pass, and no more are made: their window is closed.
    private static let maximumPassCount = 4

    package func removeFiles(where isWanted: (FileHeader) -> Bool) -> RemovedFiles {
        var result = RemovedFiles()
        for _ in 0..<Self.maximumPassCount {
            let names = isReadOnly ? [] : removeNames(where: isWanted)
            result.count += names.count
            forget(names)
            guard names.isEmpty || synchronizeAll() else { break }
            find(isWanted, &result)
            if result.isComplete || names.isEmpty { break }
        }
        return result
    }

    /// A name that is gone, as the kernel knows it.
    private struct RemovedName {
        let parent: UInt64
        let name: ByteString
    }

    private func removeNames(where isWanted: (FileHeader) -> Bool) -> [RemovedName] {
        var removed: [RemovedName] = []
        _ = walk(includingHidden: true, while: { true }) { found in
            // Looked at first: most files are others', and this costs nothing.
            guard found.entry.inode.isRegular, let header = found.entry.inode.header,
                isWanted(header), remove(found, isWanted)
            else { return true }
            removed.append(RemovedName(parent: found.parent, name: found.name))
            return true
        }
        return removed
    }

    /// False if the name is another file's now, or the file another owner's, or it cannot be removed.
    private func remove(_ found: WalkedEntry, _ isWanted: (FileHeader) -> Bool) -> Bool {
        let name = found.name.cString
        do throws(Errno) {
            let parent = try table.inode(found.parent)
            let inode = found.entry.inode
            // No name changes between the last look and the removal, nor does the header.
            return try names.exclusive { () throws(Errno) in
                guard BackingID(try status(at: parent.handle.raw, name)) == inode.id else {
                    return false
                }
                return try inode.withState { state throws(Errno) in
                    guard let header = try currentHeader(of: inode, state.file),
                        isWanted(header)
                    else { return false }
                    try withOwnerRights(to: parent.handle) { _ throws(Errno) in
                        try removeFile(in: parent.handle.raw, named: name)
                    }
                    return true
                }
            }
        } catch { return false }
    }

    /// What the disk says, not what was read when the inode became known.
    private func currentHeader(
        of inode: Inode, _ open: VaultFile?
    ) throws(Errno) -> FileHeader? {
        if let open { return open.header }
        return try facts(of: inode.handle, try status(at: inode.handle.raw, ""))?.header
    }

    /// Has the kernel drop the names. It may have to wait for a program that is reading the directory; after a minute it
    /// forgets them by itself.
    private func forget(_ removed: [RemovedName]) {
        guard !removed.isEmpty else { return }
        _ = finishes(by: Deadline(seconds: 5), named: "wipe-names") { [notifier] in
            for removed in removed { notifier.invalidate(removed.name.cString, in: removed.parent) }
        }
    }

    /// Looks for what is left while no name can change, so that nothing moves past.
    private func find(_ isWanted: (FileHeader) -> Bool, _ result: inout RemovedFiles) {
        var left: [ByteString] = []
        let isWhole = names.exclusive {
            walk(includingHidden: true, while: { true }) { found in
                let inode = found.entry.inode
                guard inode.isRegular else { return true }
                let isKnown = inode.withState { $0.file != nil || $0.facts != nil }
                if !isKnown || inode.header.map(isWanted) ?? false { left.append(found.path) }
                return true
            }
        }
        result.left = left
        result.isComplete = isWhole && left.isEmpty
    }
}
