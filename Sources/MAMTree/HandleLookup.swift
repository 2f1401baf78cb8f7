// Files that the kernel requests by number, from a file handle (open_by_handle_at(2), NFS).

internal import Glibc
package import MAMModel
internal import MAMSystem

package struct HandleLookup {
    private let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Handles "." and ".." too, which the kernel requests only when it opens a file handle.
    package func lookUp(_ name: Name, in node: UInt64) throws(Errno) -> Entry {
        try Lookup(tree).admitted(find(name, in: node))
    }

    private func find(_ name: Name, in node: UInt64) throws(Errno) -> Entry {
        if strcmp(name, ".") == 0 { return try lookUp(number: node) }
        if strcmp(name, "..") == 0 { return try lookUpParent(of: node) }
        return try Lookup(tree).lookUp(name, in: node)
    }

    /// Finds the file of a number that the kernel has forgotten, or never knew.
    ///
    /// Programs that may open handles can forge them, so the number's file is not served directly:
    /// only its path is used, and the file is looked up from the root, name by name, like any
    /// other. Files outside the backing directory or in the workspace's own directory cannot be
    /// reached this way.
    private func lookUp(number: UInt64) throws(Errno) -> Entry {
        let file = try tree.evictor.makingRoom { () throws(Errno) in try openFile(number: number) }
        let status = try status(at: file.raw, "")
        guard status.st_nlink > 0, UInt64(status.st_dev) == tree.rootDevice else {
            throw .staleHandle
        }
        if let entry = try lookUp(number: number, byPathOf: file) { return entry }
        // A directory always has a path. A file with a path elsewhere is here only if it has a
        // second name.
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

    /// Nil if it has no path below the root. Tries again if the file was moved meanwhile.
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

    /// Nil if the path leads to another file, or none.
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

    /// The kernel reports "/" for a file that it opened by number, unless it knows a name for it.
    private func hasPath(_ file: Descriptor) -> Bool {
        (try? currentPath(of: file.raw)) != ByteString("/")
    }

    /// The kernel requests the parent to connect a directory that it opened by number.
    private func lookUpParent(of node: UInt64) throws(Errno) -> Entry {
        let inode = try tree.table.inode(node)
        guard inode.isDirectory, node != InodeTable.rootNode else { throw .staleHandle }
        let parent = try FoundFile("..", in: inode.handle, mayBeRead: false)
        let id = BackingID(parent.status)
        tree.dropFormer(of: id)
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
