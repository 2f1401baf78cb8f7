// The directories from where a walk began to where it is.

internal import Glibc
internal import MAMSystem
internal import MAMTree

/// Who makes a deep tree must not be able to use up the daemon's memory or descriptors: a level
/// costs 32 bytes, whatever its name and however much is in it, and only the first levels and the
/// last are held open. One in between is found again from the one below it, through `..`, and read
/// on from where it was left.
struct WalkStack {
    private struct Level {
        let id: BackingID
        /// Behind the name that was given out last.
        var position = 0
        /// Nil while it is not held. Its inode is known by a look-up of the walk's.
        var stream: DirectoryStream?
    }

    private let files: FileSystem
    let path: WalkPath
    private var levels: [Level] = []

    /// At each end. Two descriptors each: no walk holds more than 130.
    private static let heldCount = 32

    init(_ files: FileSystem, at path: ByteString) {
        self.files = files
        self.path = WalkPath(path)
    }

    /// The directory that the walk is in, which is always held.
    var last: Inode? { levels.last?.stream?.inode }

    /// Goes down. Takes over a look-up of the inode, also when it throws. `name`: nil for the
    /// first.
    mutating func enter(_ inode: Inode, named name: ByteString? = nil) throws(Errno) {
        levels.append(Level(id: inode.backingID, stream: try open(inode)))
        if let name { path.push(name) }
        let index = levels.count - 1 - Self.heldCount
        if index >= Self.heldCount { letGo(of: &levels[index]) }
    }

    /// The next name of the directory that the walk is in; nil at its end.
    mutating func next() throws(Errno) -> ByteString? {
        guard let level = levels.last, let stream = level.stream,
            let found = try stream.name(after: level.position)
        else { return nil }
        levels[levels.count - 1].position = found.next
        return found.name
    }

    /// Goes up. Throws `EBUSY` if a directory was moved elsewhere meanwhile, so that the way up is
    /// lost: the walk is then at the nearest one that is held, and misses the rest of those
    /// between.
    mutating func leave() throws(Errno) {
        var left = levels.removeLast()
        defer { letGo(of: &left) }
        guard let above = levels.last else { return }
        path.pop()
        guard above.stream == nil, let below = left.stream?.inode else { return }
        do throws(Errno) {
            levels[levels.count - 1].stream = try open(
                files.lookUpParent(of: below, ifItIs: above.id))
        } catch {
            while levels.last?.stream == nil, levels.popLast() != nil { path.pop() }
            throw error
        }
    }

    mutating func leaveAll() {
        while var level = levels.popLast() { letGo(of: &level) }
    }

    private func open(_ inode: Inode) throws(Errno) -> DirectoryStream {
        do throws(Errno) {
            return try files.evictor.makingRoom { () throws(Errno) in try DirectoryStream(inode) }
        } catch {
            files.leave(inode.node)
            throw error
        }
    }

    private func letGo(of level: inout Level) {
        guard let node = level.stream?.inode.node else { return }
        level.stream = nil
        files.leave(node)
    }
}

extension FileSystem {
    /// Forgets a look-up of the daemon's own.
    func leave(_ node: UInt64) {
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
