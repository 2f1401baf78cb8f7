// Walks the whole tree.

internal import Glibc
package import MAMModel
internal import MAMSystem

/// A file or directory on a walk. Its path is valid only until the walk continues.
package struct WalkedEntry {
    package let entry: Entry
    package let parent: Inode
    package let name: ByteString
    fileprivate let directory: WalkPath

    /// Relative to the root; built on demand (``WalkPath``).
    package var path: ByteString { directory.joined(name) }
}

/// Walks the tree by name, as the kernel would.
package struct Walk: Sendable {
    package let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Looks up each name as the kernel does, so that it finds a file in use as its users see it.
    /// Visits a directory before its entries; misses entries moved behind it. Handles any depth and
    /// number of names (``WalkStack``), and holds no lock that others need.
    ///
    /// `top`: the directory to start in, located at `path`; nil for the whole tree.
    /// `includingHidden`: also walks the workspace's own directory. `failed`: called for entries
    /// that could not be looked up. True if the walk was complete: `shallGoOn`, which is asked
    /// before each name, never ended it, nothing failed, and `visit` always returned true.
    /// `enters`: whether to descend into a visited directory.
    package func walk(
        from top: Inode? = nil, at path: ByteString = ByteString(""),
        includingHidden: Bool = false, while shallGoOn: () -> Bool,
        failed: (ByteString, Errno) -> Void = { _, _ in }, enters: () -> Bool = { true },
        _ visit: (WalkedEntry) -> Bool
    ) -> Bool {
        func walk(_ lookUp: () throws(Errno) -> Inode, _ path: ByteString) -> Bool {
            var stack = WalkStack(tree, at: path)
            do throws(Errno) { try stack.enter(lookUp()) } catch {
                failed(path, error)
                return false
            }
            return finish(&stack, while: shallGoOn, failed: failed, enters: enters, visit)
        }
        let isWhole = walk({ () throws(Errno) in try lookUpAgain(top) }, path)
        guard includingHidden else { return isWhole }
        return walk({ () throws(Errno) in try lookUpHidden() }, ByteString(Tree.hiddenName))
            && isWhole
    }

    private func finish(
        _ stack: inout WalkStack, while shallGoOn: () -> Bool,
        failed: (ByteString, Errno) -> Void, enters: () -> Bool, _ visit: (WalkedEntry) -> Bool
    ) -> Bool {
        defer { stack.leaveAll() }
        var isWhole = true
        func note(_ path: ByteString, _ error: Errno) {
            isWhole = false
            failed(path, error)
        }
        while let directory = stack.last {
            guard shallGoOn() else { return false }
            guard let name = next(&stack, failed: note) else { continue }
            do throws(Errno) {
                guard let entry = try lookUpIfThere(name, in: directory.node) else { continue }
                let found = WalkedEntry(
                    entry: entry, parent: directory, name: name, directory: stack.path)
                isWhole = visit(found) && isWhole
                if entry.inode.isDirectory, enters() {
                    try stack.enter(entry.inode, named: name)
                } else {
                    tree.leave(entry.inode.node)
                }
            } catch { note(stack.path.joined(name), error) }
        }
        return isWhole
    }

    /// Nil at the end of a directory, or when reading it fails; the walk is then back in the
    /// parent.
    private func next(
        _ stack: inout WalkStack, failed: (ByteString, Errno) -> Void
    ) -> ByteString? {
        do throws(Errno) { if let item = try stack.next() { return item.name } } catch {
            failed(stack.path.joined(), error)
        }
        do throws(Errno) { try stack.leave() } catch { failed(stack.path.joined(), error) }
        return nil
    }

    private func lookUpHidden() throws(Errno) -> Inode {
        try Lookup(tree).lookUpEvenHidden(
            Tree.hiddenName, in: try tree.table.inode(InodeTable.rootNode)
        ).inode
    }

    private func lookUpAgain(_ inode: Inode?) throws(Errno) -> Inode {
        guard let inode else { return try tree.table.inode(InodeTable.rootNode) }
        tree.table.lookUpAgain(inode)
        return inode
    }

    /// Looks up a path below the root name by name, as the kernel would. The caller must drop one
    /// look-up.
    package func find(_ path: ByteString) throws(Errno) -> WalkedEntry {
        var parent = InodeTable.rootNode
        let names = path.bytes.split(separator: UInt8(ascii: "/")).map { ByteString(Array($0)) }
        guard let last = names.last else { throw .isDirectory }
        defer { tree.leave(parent) }
        let directory = WalkPath(ByteString(""))
        for name in names.dropLast() {
            let next = try Lookup(tree).lookUp(name.cString, in: parent).inode.node
            tree.leave(parent)
            parent = next
            directory.push(name)
        }
        return WalkedEntry(
            entry: try Lookup(tree).lookUp(last.cString, in: parent),
            parent: try tree.table.inode(parent),
            name: last, directory: directory)
    }

    /// Nil if the name is gone, or hidden from the mount.
    private func lookUpIfThere(_ name: ByteString, in node: UInt64) throws(Errno) -> Entry? {
        do throws(Errno) { return try Lookup(tree).lookUp(name.cString, in: node) } catch {
            if error.meansGone || error == .crossDevice { return nil }
            throw error
        }
    }
}

extension Errno {
    /// The name is gone or belongs to another file. Any other error hides an existing entry.
    package var meansGone: Bool { self == .noEntry || self == .staleHandle }
}
