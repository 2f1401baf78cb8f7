// Having the kernel's cache written back and dropped.

internal import Glibc
package import MAMSystem
package import MAMTree
internal import MAMVault
internal import Synchronization

/// Has the kernel write back and drop what it has cached.
package struct Purge: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func purge(
        until deadline: Deadline,
        _ isAffected: @escaping @Sendable (CachedFile) -> Bool
    ) -> [UInt64] {
        let files = tree.table.all.filter(\.isRegular)
        return tree.cache.purge(files, until: deadline) { isAffected($0.cached) }.map(\.node)
    }

    package func blockingFiles(_ nodes: [UInt64]) -> [BlockingFile] {
        let files = nodes.compactMap { try? tree.table.inode($0) }.compactMap { inode in
            tree.mountedPath(of: inode).map { (inode, $0.withoutDeletionMark) }
        }
        let users = processes(
            holding: Set(files.map(\.1)), until: Deadline(milliseconds: Self.patience))
        return files.map { inode, path in
            BlockingFile(path: path, processes: users[path] ?? lastOpener(of: inode))
        }
    }

    /// Where the descriptors of others' programs are not the daemon's to see, as in the sandbox of
    /// the unit: who opened the file last, if that program is still there.
    private func lastOpener(of inode: Inode) -> [ProcessName] {
        let thread = inode.withState { $0.lastOpener }
        return processID(ofThread: thread).map { [ProcessName($0)] } ?? []
    }

    /// Milliseconds for the memory maps of all processes. The caller of a lock waits for the names
    /// of those that are in its way.
    private static var patience: Int { 500 }

    /// Takes no new writes, and has everything written back that the kernel has not sent yet:
    /// before the daemon ends. Returns what is in the way of that at the deadline.
    package func writeBack(until deadline: Deadline) -> [BlockingFile] {
        tree.beginStopping()
        let left = purge(until: deadline) { $0.isOpen }
        return left.isEmpty ? [] : blockingFiles(left)
    }
}
