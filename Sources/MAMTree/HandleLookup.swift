// Files that the kernel asks for by number: somebody kept a handle (open_by_handle_at(2), NFS).

internal import Glibc
package import MAMSystem

package struct HandleLookup {
    private let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Of "." and ".." too, which the kernel asks for where a handle is opened, and nowhere else.
    package func lookUp(_ name: Name, in node: UInt64) throws(Errno) -> Entry {
        if strcmp(name, ".") == 0 { return try lookUp(number: node) }
        if strcmp(name, "..") == 0 { return try lookUpParent(of: node) }
        return try Lookup(tree).lookUp(name, in: node)
    }

    /// The file of a number that the kernel has forgotten, or may never have known.
    ///
    /// A caller that may open handles can forge them. So what the number leads to is not served: it
    /// only tells a path, and what is served is found from the root on, name by name, as every file
    /// is. A file outside of the backing directory or in the workspace's own is not reached that
    /// way.
    private func lookUp(number: UInt64) throws(Errno) -> Entry {
        let file = try tree.evictor.makingRoom { () throws(Errno) in try openFile(number: number) }
        let status = try status(at: file.raw, "")
        guard status.st_nlink > 0, UInt64(status.st_dev) == tree.rootDevice else {
            throw .staleHandle
        }
        if let entry = try lookUp(number: number, byPathOf: file) { return entry }
        // A directory always has a path; what has one elsewhere is here by another name at most.
        guard status.st_mode & S_IFMT != S_IFDIR, status.st_nlink > 1 || !hasPath(file)
        else { throw .staleHandle }
        return try tree.search(for: number, inode: UInt64(status.st_ino))
    }

    private func openFile(number: UInt64) throws(Errno) -> Descriptor {
        if let inode = try? tree.table.inode(number) { return inode.handle }
        guard let handles = tree.handles, number >= FileHandles.lowestNumber else {
            throw .staleHandle
        }
        do throws(Errno) { return try handles.open(number) } catch {
            if error.isShortOfDescriptors || error == .ioError { throw error }
            throw .staleHandle
        }
    }

    /// Nil if it has no path beneath the root. One that is moved meanwhile is looked for again.
    private func lookUp(
        number: UInt64, byPathOf file: Descriptor
    ) throws(Errno) -> Entry? {
        for _ in 0..<Self.patienceForMoves {
            guard let path = tree.relativePath(of: file) else { return nil }
            if let entry = try lookUp(number: number, at: path) { return entry }
        }
        return nil
    }

    private static var patienceForMoves: Int { 8 }

    /// Nil if another file is there, or none.
    private func lookUp(number: UInt64, at path: ByteString) throws(Errno) -> Entry? {
        guard let entry = try findIfThere(path) else { return nil }
        guard entry.inode.node == number, !entry.inode.isReplaced else {
            tree.leave(entry.inode.node)
            return nil
        }
        return entry
    }

    private func findIfThere(_ path: ByteString) throws(Errno) -> Entry? {
        do throws(Errno) { return try Walk(tree).find(path).entry } catch {
            if error.isShortOfDescriptors || error == .ioError { throw error }
            return nil
        }
    }

    /// The kernel calls a file that it found by number the root, unless it knows a name of it.
    private func hasPath(_ file: Descriptor) -> Bool {
        (try? currentPath(of: file.raw)) != ByteString("/")
    }

    /// The kernel asks for it to put a directory that it found by number in its place.
    private func lookUpParent(of node: UInt64) throws(Errno) -> Entry {
        let inode = try tree.table.inode(node)
        guard inode.isDirectory, node != InodeTable.rootNode else { throw .staleHandle }
        let parent = try FoundFile("..", in: inode.handle, mayBeRead: false)
        let id = BackingID(parent.status)
        if let known = tree.table.lookUp(id) { return try Lookup(tree).entry(known) }
        guard let path = tree.relativePath(of: parent.handle), let found = try findIfThere(path)
        else {
            throw .staleHandle
        }
        guard found.inode.backingID == id else {
            tree.leave(found.inode.node)
            throw .staleHandle
        }
        return found
    }
}
