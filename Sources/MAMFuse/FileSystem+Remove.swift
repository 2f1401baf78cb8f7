// Removing the files of a wiped account.

internal import CFuse3
internal import Glibc
package import MAMFormat
internal import MAMStore
internal import MAMSystem
package import MAMVault

extension FileSystem {
    package func removeFiles(where isWanted: (FileHeader) -> Bool) -> RemovedFiles {
        var result = RemovedFiles()
        // Most of them, while others go on working.
        sweep(isWanted, isAlone: false, &result)
        // What was moved past that. No more are made, for their window is closed: the last sweep finds none.
        var before: Int
        repeat {
            before = result.count
            sweep(isWanted, isAlone: true, &result)
        } while result.count > before && result.isComplete
        // Also when there was none: a daemon that was killed may have removed what it could not sync.
        if !isReadOnly, !synchronizeAll() { result.isComplete = false }
        return result
    }

    /// A name that is gone, as the kernel knows it.
    private struct RemovedName {
        let parent: UInt64
        let name: ByteString
    }

    /// `isAlone`: while no name can change, so that nothing moves past.
    private func sweep(
        _ isWanted: (FileHeader) -> Bool, isAlone: Bool, _ result: inout RemovedFiles
    ) {
        var removed: [RemovedName] = []
        var left: [ByteString] = []
        func visit(_ found: WalkedEntry) -> Bool {
            do throws(Errno) {
                if try remove(found, isWanted, isAlone) {
                    removed.append(RemovedName(parent: found.parent.node, name: found.name))
                }
            } catch { left.append(found.path) }
            return true
        }
        let isWhole =
            isAlone
            ? names.exclusive { walk(includingHidden: true, while: { true }, visit) }
            : walk(includingHidden: true, while: { true }, visit)
        forget(removed)
        result.count += removed.count
        result.left = left
        result.isComplete = isWhole && left.isEmpty
    }

    /// False if it is none of those that are wanted.
    private func remove(
        _ found: WalkedEntry, _ isWanted: (FileHeader) -> Bool, _ isAlone: Bool
    ) throws(Errno) -> Bool {
        let inode = found.entry.inode
        guard inode.isRegular else { return false }
        // What could not be read may be anybody's.
        guard inode.withState({ $0.file != nil || $0.facts != nil }) else { throw .accessDenied }
        // Most files are others', and this costs nothing.
        guard let header = inode.header, isWanted(header) else { return false }
        if isReadOnly { throw .readOnly }
        if isAlone { return try unlink(found, isWanted) }
        return try names.exclusive { () throws(Errno) in try unlink(found, isWanted) }
    }

    /// Removes a name after a last look, while neither it nor the header can change: by now the name may be another file's,
    /// or the file another owner's.
    private func unlink(
        _ found: WalkedEntry, _ isWanted: (FileHeader) -> Bool
    ) throws(Errno) -> Bool {
        let (parent, inode) = (found.parent, found.entry.inode)
        let name = found.name.cString
        guard BackingID(try status(at: parent.handle.raw, name)) == inode.id else { return false }
        return try inode.withState { state throws(Errno) in
            guard let header = try currentHeader(of: inode, state.file), isWanted(header) else {
                return false
            }
            try withOwnerRights(to: parent.handle) { _ throws(Errno) in
                try removeFile(in: parent.handle.raw, named: name)
            }
            return true
        }
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
}
