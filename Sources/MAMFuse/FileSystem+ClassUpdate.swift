// Going through the whole tree for files whose class has changed.

internal import CFuse3
internal import CShims
internal import Glibc
package import MAMFormat
internal import MAMSystem
internal import MAMVault

extension FileSystem {
    /// Looks every name up as the kernel does, so that a file which is in use is changed where its users see it.
    package func updateClasses(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool {
        guard !isReadOnly else { return false }
        var isComplete = true
        // Each is known by a look-up that has to be forgotten.
        var directories = [InodeTable.rootNode]
        defer { for node in directories { leave(node) } }
        while let node = directories.popLast() {
            defer { leave(node) }
            do throws(Errno) {
                for name in try names(in: node) {
                    guard shallGoOn() else { return false }
                    guard let entry = try lookUpIfThere(name, in: node) else { continue }
                    if entry.inode.isDirectory {
                        directories.append(entry.inode.node)
                    } else {
                        isComplete = updateClass(of: entry.inode, isWanted) && isComplete
                        leave(entry.inode.node)
                    }
                }
            } catch { isComplete = false }
        }
        return isComplete && synchronizeAll()
    }

    private func leave(_ node: UInt64) {
        if node != InodeTable.rootNode { forget(node, count: 1) }
    }

    private func names(in node: UInt64) throws(Errno) -> [ByteString] {
        let directory = try table.inode(node)
        return try withExtendedLifetime(directory) { () throws(Errno) in
            try entries(of: directory.handle.raw)
        }
    }

    /// Nil for a name that has gone meanwhile, and for what the mount does not show.
    private func lookUpIfThere(_ name: ByteString, in node: UInt64) throws(Errno) -> Entry? {
        do throws(Errno) { return try lookUp(name.cString, in: node) } catch {
            if [.noEntry, .staleHandle, .crossDevice].contains(error) { return nil }
            throw error
        }
    }

    /// False if it should have another class and could not be given it.
    private func updateClass(of inode: Inode, _ isWanted: (FileHeader) -> Bool) -> Bool {
        guard inode.isRegular, let header = inode.header, isWanted(header) else { return true }
        do throws(VaultError) {
            try changeHeader(of: inode) { file throws(VaultError) in
                try vault.updateClass(of: file)
            }
            return true
        } catch {
            vault.reportStaleClass(of: inode.header, error)
            return false
        }
    }

    /// That the tree was gone through is remembered for good: what was done must be as durable.
    private func synchronizeAll() -> Bool {
        guard let directory = try? reopen(root.raw, O_RDONLY | O_DIRECTORY) else { return false }
        return withExtendedLifetime(directory) { mam_sync_file_system(directory.raw) == 0 }
    }
}
