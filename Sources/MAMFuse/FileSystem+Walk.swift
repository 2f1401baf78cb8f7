// Going through the whole tree.

internal import Glibc
internal import MAMSystem

/// A file or directory that a walk has come by.
struct WalkedEntry {
    let entry: Entry
    let parent: Inode
    let name: ByteString
    /// Below the root, without a slash before it.
    let path: ByteString
}

extension FileSystem {
    /// Looks every name up as the kernel does, so that a file which is in use is met as its users see it. A directory comes
    /// before what is in it, and what is moved behind the walk is missed.
    ///
    /// `start`: the directory to begin in, of which one look-up is forgotten; nil for the whole tree. `includingHidden`: the
    /// workspace's own directory too. `failed` is told of what could not be looked at. True if all was seen: `shallGoOn`
    /// never ended it, nothing failed, and `visit` always returned true.
    func walk(
        from start: WalkedEntry? = nil, includingHidden: Bool = false, while shallGoOn: () -> Bool,
        failed: (ByteString, Errno) -> Void = { _, _ in }, _ visit: (WalkedEntry) -> Bool
    ) -> Bool {
        var isComplete = true
        // Each is known by a look-up that has to be forgotten.
        var directories = [
            (
                node: start?.entry.inode.node ?? InodeTable.rootNode,
                path: start?.path ?? ByteString("")
            )
        ]
        if includingHidden {
            guard let hidden = try? lookUpHidden() else { return false }
            directories.append((hidden.inode.node, ByteString(Self.hiddenName)))
        }
        defer { for directory in directories { leave(directory.node) } }
        while let (node, path) = directories.popLast() {
            defer { leave(node) }
            func note(_ path: ByteString, _ error: Errno) {
                isComplete = false
                failed(path, error)
            }
            let directory: Inode
            let names: [ByteString]
            do throws(Errno) {
                directory = try table.inode(node)
                names = try withExtendedLifetime(directory) { () throws(Errno) in
                    try entries(of: directory.handle.raw)
                }
            } catch {
                note(path, error)
                continue
            }
            for name in names {
                guard shallGoOn() else { return false }
                let path = path.appending(name)
                do throws(Errno) {
                    guard let entry = try lookUpIfThere(name, in: node) else { continue }
                    let found = WalkedEntry(
                        entry: entry, parent: directory, name: name, path: path)
                    isComplete = visit(found) && isComplete
                    if entry.inode.isDirectory {
                        directories.append((entry.inode.node, path))
                    } else {
                        leave(entry.inode.node)
                    }
                } catch { note(path, error) }
            }
        }
        return isComplete
    }

    private func lookUpHidden() throws(Errno) -> Entry {
        let handle = try openFile(
            at: root.raw, Self.hiddenName, openPathOnly | O_DIRECTORY | O_NOFOLLOW)
        return try enter(handle, found: Self.hiddenName, in: try table.inode(InodeTable.rootNode))
    }

    /// Looks up what stands at a path below the root, as the kernel would, name by name. The caller forgets one look-up.
    func find(_ path: ByteString) throws(Errno) -> WalkedEntry {
        var parent = InodeTable.rootNode
        let names = path.bytes.split(separator: UInt8(ascii: "/")).map { ByteString(Array($0)) }
        guard let last = names.last else { throw .isDirectory }
        defer { leave(parent) }
        for name in names.dropLast() {
            let next = try lookUp(name.cString, in: parent).inode.node
            leave(parent)
            parent = next
        }
        return WalkedEntry(
            entry: try lookUp(last.cString, in: parent), parent: try table.inode(parent),
            name: last, path: path)
    }

    private func leave(_ node: UInt64) {
        if node != InodeTable.rootNode { forget(node, count: 1) }
    }

    /// Nil for a name that has gone meanwhile, and for what the mount does not show.
    private func lookUpIfThere(_ name: ByteString, in node: UInt64) throws(Errno) -> Entry? {
        do throws(Errno) { return try lookUp(name.cString, in: node) } catch {
            if [.noEntry, .staleHandle, .crossDevice].contains(error) { return nil }
            throw error
        }
    }
}
