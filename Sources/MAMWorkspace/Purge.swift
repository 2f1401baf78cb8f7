// Makes the kernel write back and drop its cache.

internal import Glibc
package import MAMModel
package import MAMSystem
package import MAMTree
internal import MAMVault

/// Makes the kernel write back and drop cached data.
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

    /// If the daemon cannot see other programs' descriptors, as in the unit's sandbox: the program
    /// that opened the file last, if it still runs.
    private func lastOpener(of inode: Inode) -> [ProcessName] {
        inode.lastOpener.flatMap { processID(ofThread: $0) }.map { [ProcessName($0)] } ?? []
    }

    /// The limit for reading memory maps, in milliseconds. The caller of a lock waits for these
    /// names.
    private static var patience: Int { 500 }

    /// Refuses new writes, and makes the kernel send its unwritten data, before the daemon ends.
    /// Returns the files that obstruct that at the deadline.
    package func writeBack(until deadline: Deadline) -> [BlockingFile] {
        tree.beginStopping()
        let left = purge(until: deadline) { $0.isOpen }
        return left.isEmpty ? [] : blockingFiles(left)
    }
}

/// A file whose pages a lock could not get out of the kernel's cache.
package struct BlockingFile: Sendable {
    /// The path in the mount.
    package let path: ByteString
    /// The processes that have it open or mapped, as far as the daemon can see them.
    package let processes: [ProcessName]
}

extension BlockingFile: CustomStringConvertible {
    package var description: String {
        let users = processes.map(\.description).joined(separator: ", ")
        return
            "\(path.shown) is being written or read by"
            + " \(users.isEmpty ? "a process that is not visible" : users)"
    }
}
