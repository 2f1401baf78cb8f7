// The directories from where a walk began to where it is.

internal import Glibc
package import MAMSystem

/// Who makes a deep tree must not be able to use up the daemon's memory or descriptors: a level
/// costs 32 bytes, whatever its name and however much is in it, and only the first levels and the
/// last are held open. One in between is found again from the one below it, through `..`, and read
/// on from where it was left.
package struct WalkStack {
    private struct Level {
        package let id: BackingID
        /// Behind the name that was given out last.
        package var position = 0
        /// Nil while it is not held. Its inode is known by a look-up of the walk's.
        package var stream: DirectoryStream?
    }

    private let tree: Tree
    package let path: WalkPath
    private var levels: [Level] = []

    /// At each end. Two descriptors each: no walk holds more than 130.
    private static let heldCount = 32

    package init(_ tree: Tree, at path: ByteString) {
        self.tree = tree
        self.path = WalkPath(path)
    }

    /// The directory that the walk is in, which is always held.
    package var last: Inode? { levels.last?.stream?.inode }

    /// Goes down. Takes over a look-up of the inode, also when it throws. `name`: nil for the
    /// first.
    package mutating func enter(_ inode: Inode, named name: ByteString? = nil) throws(Errno) {
        levels.append(Level(id: inode.backingID, stream: try open(inode)))
        if let name { path.push(name) }
        let index = levels.count - 1 - Self.heldCount
        if index >= Self.heldCount { letGo(of: &levels[index]) }
    }

    /// The next entry of the directory that the walk is in; nil at its end.
    package mutating func next() throws(Errno) -> DirectoryStream.KeptItem? {
        guard let level = levels.last, let stream = level.stream,
            let found = try stream.item(after: level.position)
        else { return nil }
        levels[levels.count - 1].position = found.next
        return found
    }

    /// Goes up. Throws `EBUSY` if a directory was moved elsewhere meanwhile, so that the way up is
    /// lost: the walk is then at the nearest one that is held, and misses the rest of those
    /// between.
    package mutating func leave() throws(Errno) {
        var left = levels.removeLast()
        defer { letGo(of: &left) }
        guard let above = levels.last else { return }
        path.pop()
        guard above.stream == nil, let below = left.stream?.inode else { return }
        do throws(Errno) {
            levels[levels.count - 1].stream = try open(
                tree.lookUpParent(of: below, ifItIs: above.id))
        } catch {
            while levels.last?.stream == nil, levels.popLast() != nil { path.pop() }
            throw error
        }
    }

    package mutating func leaveAll() {
        while var level = levels.popLast() { letGo(of: &level) }
    }

    private func open(_ inode: Inode) throws(Errno) -> DirectoryStream {
        do throws(Errno) {
            return try tree.evictor.makingRoom { () throws(Errno) in try DirectoryStream(inode) }
        } catch {
            tree.leave(inode.node)
            throw error
        }
    }

    private func letGo(of level: inout Level) {
        guard let node = level.stream?.inode.node else { return }
        level.stream = nil
        tree.leave(node)
    }
}

extension Tree {
    package func forget(_ node: UInt64, count: UInt64) { table.forget(node, count: count) }

    /// Forgets a look-up of the daemon's own.
    package func leave(_ node: UInt64) {
        if node != InodeTable.rootNode { forget(node, count: 1) }
    }

    /// The directory above another one, by a look-up of its own. Nothing outside the tree is looked
    /// at: `id` was met in it.
    fileprivate func lookUpParent(
        of inode: Inode, ifItIs id: BackingID
    ) throws(Errno) -> Inode {
        try evictor.makingRoom { () throws(Errno) in
            let found = try FoundFile("..", in: inode.handle, mayBeRead: false)
            guard BackingID(found.status) == id else { throw .busy }
            return table.lookUp(id) ?? table.insert(found, nil)
        }
    }
}
