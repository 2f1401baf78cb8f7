// Going through the whole tree for files whose class has changed.

internal import CFuse3
internal import Glibc
internal import MAMSystem
internal import MAMVault

extension FileSystem {
    /// Looks every name up as the kernel does, so that a file which is in use is changed where its users see it.
    package func updateClasses(while isWanted: @Sendable () -> Bool) -> Bool {
        guard !isReadOnly else { return false }
        var isComplete = true
        // Each is known by a look-up that has to be forgotten.
        var directories = [InodeTable.rootNode]
        defer { for node in directories { leave(node) } }
        while let node = directories.popLast() {
            defer { leave(node) }
            guard let names = try? names(in: node) else {
                isComplete = false
                continue
            }
            for name in names {
                guard isWanted() else { return false }
                guard let entry = try? lookUp(name.cString, in: node) else { continue }
                if entry.inode.isDirectory {
                    directories.append(entry.inode.node)
                } else {
                    isComplete = updateClass(of: entry.inode) && isComplete
                    leave(entry.inode.node)
                }
            }
        }
        return isComplete
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

    /// False if it should have another class and could not be given it.
    private func updateClass(of inode: Inode) -> Bool {
        guard inode.isRegular, vault.isOutOfDate(inode.header) else { return true }
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
}
