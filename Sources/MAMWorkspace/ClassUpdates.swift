// Going through the whole tree for files whose class has changed.

internal import Glibc
package import MAMFormat
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Gives every file the class that policy now wants.
package struct ClassUpdates: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func updateClasses(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool {
        guard !tree.isReadOnly else { return false }
        // Files that are being made with the keys of before: they have their names when the walk
        // begins.
        Creator(tree).awaitMakers()
        let isComplete = Walk(tree).walk(while: shallGoOn) { found in
            found.entry.inode.isDirectory || updateClass(of: found.entry.inode, isWanted)
        }
        return isComplete && synchronizeAll()
    }

    /// False if it should have another class and could not be given it.
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

    /// That the tree was gone through is remembered for good: what was done must be as durable.
    func synchronizeAll() -> Bool {
        guard let directory = try? reopen(tree.root.raw, O_RDONLY | O_DIRECTORY) else {
            return false
        }
        return withExtendedLifetime(directory) {
            (try? synchronizeFileSystem(of: directory.raw)) != nil
        }
    }
}
