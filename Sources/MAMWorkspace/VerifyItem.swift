// A file that a check has come by, held until it was looked at.

internal import Glibc
internal import MAMSystem
internal import MAMTree

/// Its inode is known by a look-up of its own, so that whoever opens the file meanwhile finds the
/// same one.
struct VerifyItem: Sendable {
    let inode: Inode
    let parent: Inode
    let name: ByteString
    /// Below the root.
    let path: ByteString
    let byteCount: Int64
}

extension FileCheck {
    /// Nil for what a check does not look into.
    func hold(_ found: WalkedEntry) throws(Errno) -> VerifyItem? {
        let inode = found.entry.inode
        guard inode.isRegular else { return nil }
        // By another of its names it was cut or moved since it was found.
        guard let held = tree.table.lookUp(inode.id) else {
            return try hold(found.name, in: found.parent, found.path)
        }
        let item = VerifyItem(
            inode: held, parent: found.parent, name: found.name, path: found.path,
            byteCount: try byteCount(of: held))
        return item
    }

    /// What its name leads to now; nil if that is nothing to check.
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

    /// Of an inode that is held: lets go of it where that fails.
    private func byteCount(of inode: Inode) throws(Errno) -> Int64 {
        do throws(Errno) { return Int64(try status(at: inode.handle.raw, "").st_size) } catch {
            tree.forget(inode.node, count: 1)
            throw error
        }
    }

    func letGo(_ item: VerifyItem) { tree.forget(item.inode.node, count: 1) }
}
