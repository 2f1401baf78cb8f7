// Going through the whole tree for files whose class has changed.

internal import Glibc
package import MAMFormat
internal import MAMSystem
internal import MAMTree
internal import MAMVault

extension FileSystem {
    package func updateClasses(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool {
        guard !isReadOnly else { return false }
        // Files that are being made with the keys of before: they have their names when the walk
        // begins.
        awaitMakers()
        let isComplete = walk(while: shallGoOn) { found in
            found.entry.inode.isDirectory || updateClass(of: found.entry.inode, isWanted)
        }
        return isComplete && synchronizeAll()
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
    func synchronizeAll() -> Bool {
        guard let directory = try? reopen(root.raw, O_RDONLY | O_DIRECTORY) else { return false }
        return withExtendedLifetime(directory) {
            (try? synchronizeFileSystem(of: directory.raw)) != nil
        }
    }
}
