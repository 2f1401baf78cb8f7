// A file to be checked, held until then.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree

/// Holds one look-up of its inode, so that a program that opens the file meanwhile gets the same
/// inode.
struct VerifyItem: Sendable {
    let inode: Inode
    let parent: Inode
    let name: ByteString
    /// Relative to the root.
    let path: ByteString
    let byteCount: Int64
}

extension FileCheck {
    /// Nil for what a check does not examine.
    func hold(_ found: WalkedEntry) throws(Errno) -> VerifyItem? {
        let inode = found.entry.inode
        guard inode.isRegular else { return nil }
        // It was truncated or moved under another of its names since it was found.
        guard let held = tree.table.lookUp(inode.backingID) else {
            return try hold(found.name, in: found.parent, found.path)
        }
        let item = VerifyItem(
            inode: held, parent: found.parent, name: found.name, path: found.path,
            byteCount: try byteCount(of: held))
        return item
    }

    /// The file that its name leads to now; nil if there is nothing to check.
    func holdAgain(_ item: VerifyItem) throws(Errno) -> VerifyItem? {
        try hold(item.name, in: item.parent, item.path)
    }

    private func hold(
        _ name: ByteString, in parent: Inode, _ path: ByteString
    ) throws(Errno) -> VerifyItem? {
        let entry: Entry
        do throws(Errno) {
            entry = try Lookup(tree).lookUpEvenHidden(name.cString, in: parent)
        } catch {
            if error.meansGone || error == .crossDevice { return nil }
            throw error
        }
        guard entry.inode.isRegular else {
            tree.forget(entry.inode.node, count: 1)
            return nil
        }
        return VerifyItem(
            inode: entry.inode, parent: parent, name: name, path: path,
            byteCount: try byteCount(of: entry.inode))
    }

    /// Releases the held inode on failure.
    private func byteCount(of inode: Inode) throws(Errno) -> Int64 {
        do throws(Errno) { return Int64(try status(at: inode.handle.raw, "").st_size) } catch {
            tree.forget(inode.node, count: 1)
            throw error
        }
    }

    func letGo(_ item: VerifyItem) { tree.forget(item.inode.node, count: 1) }
}
