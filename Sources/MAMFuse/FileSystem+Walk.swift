// Going through the whole tree.

internal import Glibc
internal import MAMSystem

/// A file or directory that a walk has come by.
struct WalkedEntry {
    let entry: Entry
    let parent: UInt64
    let name: ByteString
    /// Below the root, without a slash before it.
    let path: ByteString
}

extension FileSystem {
    /// Looks every name up as the kernel does, so that a file which is in use is met as its users see it. A directory comes
    /// before what is in it, and what is moved behind the walk is missed.
    ///
    /// `includingHidden`: the workspace's own directory too.
    /// True if all was seen: `shallGoOn` never ended it, every directory could be read, and `visit` always returned true.
    func walk(
        includingHidden: Bool = false, while shallGoOn: () -> Bool,
        _ visit: (WalkedEntry) -> Bool
    ) -> Bool {
        var isComplete = true
        // Each is known by a look-up that has to be forgotten.
        var directories = [(node: InodeTable.rootNode, path: ByteString(""))]
        if includingHidden {
            guard let hidden = try? lookUpHidden() else { return false }
            directories.append((hidden.inode.node, ByteString(Self.hiddenName)))
        }
        defer { for directory in directories { leave(directory.node) } }
        while let (node, path) = directories.popLast() {
            defer { leave(node) }
            do throws(Errno) {
                for name in try names(in: node) {
                    guard shallGoOn() else { return false }
                    guard let entry = try lookUpIfThere(name, in: node) else { continue }
                    let found = WalkedEntry(
                        entry: entry, parent: node, name: name, path: path.appending(name))
                    isComplete = visit(found) && isComplete
                    if entry.inode.isDirectory {
                        directories.append((entry.inode.node, found.path))
                    } else {
                        leave(entry.inode.node)
                    }
                }
            } catch { isComplete = false }
        }
        return isComplete
    }

    private func lookUpHidden() throws(Errno) -> Entry {
        let handle = try openFile(
            at: root.raw, Self.hiddenName, openPathOnly | O_DIRECTORY | O_NOFOLLOW)
        return try enter(handle, found: Self.hiddenName, in: try table.inode(InodeTable.rootNode))
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
}
