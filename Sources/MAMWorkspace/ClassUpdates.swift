// Walks the whole tree for files whose class changed.

internal import Glibc
package import MAMFormat
internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Gives every file the class that policy requires.
package struct ClassUpdates: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func updateClasses(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool {
        guard !tree.isReadOnly else { return false }
        // Files being created under the old keys: after this, the walk finds their names.
        Creator(tree).awaitMakers()
        let isComplete = Walk(tree).walk(while: shallGoOn) { found in
            found.entry.inode.isDirectory || updateClass(of: found.entry.inode, isWanted)
        }
        return isComplete && synchronizeAll()
    }

    /// False if its class is outdated and could not be changed.
    private func updateClass(of inode: Inode, _ isWanted: (FileHeader) -> Bool) -> Bool {
        guard inode.isRegular, let header = inode.header, isWanted(header) else { return true }
        do throws(VaultError) {
            try Classes(tree).changeHeader(of: inode) { file throws(VaultError) in
                try FileClasses(tree.vault).updateClass(of: file)
            }
            return true
        } catch {
            FileAudit(tree.vault).reportStaleClass(of: inode.header, error)
            return false
        }
    }

    /// The record of a complete pass is permanent, so its changes must be durable first.
    func synchronizeAll() -> Bool {
        guard let directory = try? reopen(tree.root.raw, O_RDONLY | O_DIRECTORY) else {
            return false
        }
        return withExtendedLifetime(directory) {
            (try? synchronizeFileSystem(of: directory.raw)) != nil
        }
    }
}
