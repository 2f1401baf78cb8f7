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

/// A directory that a walk is in, known by a look-up that has to be forgotten.
private struct OpenDirectory {
    let inode: Inode
    let path: ByteString
    /// Those that are yet to be looked up.
    var names: [ByteString]
}

extension FileSystem {
    /// Looks every name up as the kernel does, so that a file which is in use is met as its users see it. A directory comes
    /// before what is in it, and what is moved behind the walk is missed.
    ///
    /// `start`: the directory to begin in, of which one look-up is forgotten; nil for the whole tree. `includingHidden`: the
    /// workspace's own directory too. `failed` is told of what could not be looked at. True if all was seen: `shallGoOn`
    /// never ended it, nothing failed, and `visit` always returned true. `enters`: whether to look into a directory that was
    /// visited.
    func walk(
        from start: WalkedEntry? = nil, includingHidden: Bool = false, while shallGoOn: () -> Bool,
        failed: (ByteString, Errno) -> Void = { _, _ in }, enters: () -> Bool = { true },
        _ visit: (WalkedEntry) -> Bool
    ) -> Bool {
        var isComplete = true
        // From where the walk begins to where it is. No others are held: there may be more than we may have descriptors.
        var open: [OpenDirectory] = []
        defer { for directory in open { leave(directory.inode.node) } }
        func note(_ path: ByteString, _ error: Errno) {
            isComplete = false
            failed(path, error)
        }
        func descend(into node: UInt64, _ path: ByteString) {
            do throws(Errno) { open.append(try openForWalk(node, path)) } catch {
                leave(node)
                note(path, error)
            }
        }
        if includingHidden {
            let path = ByteString(Self.hiddenName)
            do throws(Errno) { descend(into: try lookUpHidden().inode.node, path) } catch {
                note(path, error)
            }
        }
        descend(
            into: start?.entry.inode.node ?? InodeTable.rootNode, start?.path ?? ByteString(""))
        while let last = open.indices.last {
            guard let name = open[last].names.popLast() else {
                leave(open.removeLast().inode.node)
                continue
            }
            guard shallGoOn() else { return false }
            let directory = open[last].inode
            let path = open[last].path.appending(name)
            do throws(Errno) {
                guard let entry = try lookUpIfThere(name, in: directory.node) else { continue }
                let found = WalkedEntry(
                    entry: entry, parent: directory, name: name, path: path)
                isComplete = visit(found) && isComplete
                if entry.inode.isDirectory, enters() {
                    descend(into: entry.inode.node, path)
                } else {
                    leave(entry.inode.node)
                }
            } catch { note(path, error) }
        }
        return isComplete
    }

    private func openForWalk(
        _ node: UInt64, _ path: ByteString
    ) throws(Errno) -> OpenDirectory {
        let inode = try table.inode(node)
        let names = try evictor.makingRoom { () throws(Errno) in
            try withExtendedLifetime(inode) { () throws(Errno) in
                try entries(of: inode.handle.raw)
            }
        }
        return OpenDirectory(inode: inode, path: path, names: names)
    }

    private func lookUpHidden() throws(Errno) -> Entry {
        try lookUpEvenHidden(Self.hiddenName, in: try table.inode(InodeTable.rootNode))
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
            if error.meansGone || error == .crossDevice { return nil }
            throw error
        }
    }
}

extension Errno {
    /// The name is nobody's any more, or another file's. Every other error hides what is there.
    var meansGone: Bool { self == .noEntry || self == .staleHandle }
}
