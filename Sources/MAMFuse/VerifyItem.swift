// A file that a check has come by, held until it was looked at.

internal import CFuse3
internal import Glibc
internal import MAMSystem

/// Its inode is known by a look-up of its own, so that whoever opens the file meanwhile finds the same one.
struct VerifyItem: Sendable {
    let inode: Inode
    let parent: Inode
    let name: ByteString
    /// Below the root.
    let path: ByteString
    let byteCount: Int64
}

extension FileSystem {
    /// Nil for what a check does not look into.
    func hold(_ found: WalkedEntry) -> VerifyItem? {
        let inode = found.entry.inode
        guard inode.isRegular,
            let size = try? status(at: inode.handle.raw, "").st_size,
            let held = table.lookUp(inode.id)
        else { return nil }
        return VerifyItem(
            inode: held, parent: found.parent, name: found.name, path: found.path,
            byteCount: Int64(size))
    }

    /// What its name leads to now; nil if that is nothing to check.
    func holdAgain(_ item: VerifyItem) -> VerifyItem? {
        guard
            let handle = try? openFile(
                at: item.parent.handle.raw, item.name.cString, openPathOnly | O_NOFOLLOW),
            let size = try? status(at: handle.raw, "").st_size,
            let entry = try? enter(handle, found: item.name.cString, in: item.parent)
        else { return nil }
        let next = VerifyItem(
            inode: entry.inode, parent: item.parent, name: item.name, path: item.path,
            byteCount: Int64(size))
        if entry.inode.isRegular { return next }
        letGo(next)
        return nil
    }

    func letGo(_ item: VerifyItem) { forget(item.inode.node, count: 1) }
}
