// The directories from the start of a walk to its current position.

internal import Glibc
package import MAMModel
internal import MAMSystem

/// A deep tree must not exhaust the daemon's memory or descriptors: a level costs 32 bytes,
/// whatever its name and size, and only the first and the last levels are held open. One in between
/// is reopened from the level below it through `..`, and read on from its saved offset.
package struct WalkStack {
    private struct Level {
        package let id: BackingID
        /// The offset after the last entry returned.
        package var position = 0
        /// Nil unless held open; then the walk holds one look-up of its inode.
        package var stream: DirectoryStream?
    }

    private let tree: Tree
    package let path: WalkPath
    private var levels: [Level] = []

    /// Levels held open at each end, two descriptors each: no walk holds more than 130.
    private static let heldCount = 32

    package init(_ tree: Tree, at path: ByteString) {
        self.tree = tree
        self.path = WalkPath(path)
    }

    /// The current directory, which is always held open.
    package var last: Inode? { levels.last?.stream?.inode }

    /// Descends. Takes over one look-up of the inode, even if it throws. `name`: nil for the first.
    package mutating func enter(_ inode: Inode, named name: ByteString? = nil) throws(Errno) {
        levels.append(Level(id: inode.backingID, stream: try open(inode)))
        if let name { path.push(name) }
        let index = levels.count - 1 - Self.heldCount
        if index >= Self.heldCount { letGo(of: &levels[index]) }
    }

    /// The next entry of the current directory; nil at its end.
    package mutating func next() throws(Errno) -> DirectoryStream.KeptItem? {
        guard let level = levels.last, let stream = level.stream,
            let found = try stream.item(after: level.position)
        else { return nil }
        levels[levels.count - 1].position = found.next
        return found
    }

    /// Ascends. Throws `EBUSY` if a directory was moved, which breaks the way up: the walk
    /// continues in the nearest level held open, and misses the rest of those in between.
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

    /// Drops a look-up that the daemon made.
    package func leave(_ node: UInt64) {
        if node != InodeTable.rootNode { forget(node, count: 1) }
    }

    /// Looks up the parent of a directory. Never leaves the tree: `id` was visited in it.
    fileprivate func lookUpParent(
        of inode: Inode, ifItIs id: BackingID
    ) throws(Errno) -> Inode {
        try evictor.makingRoom { () throws(Errno) in
            let found = try FoundFile("..", in: inode.handle, mayBeRead: false)
            guard BackingID(found.status) == id else { throw .busy }
            dropFormer(of: id)
            return table.lookUp(id) ?? table.insert(found, nil)
        }
    }
}
