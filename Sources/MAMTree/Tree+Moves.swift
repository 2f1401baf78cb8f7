// Names that change while an account is being wiped: nothing gets past the walk that looks for its
// files.

internal import Glibc
package import MAMSystem
internal import MAMVault
internal import Synchronization

extension Tree {
    /// How often something was moved that may have files in it. None is being moved at this moment.
    package var moveCount: Int { names.exclusive { moves.load(ordering: .relaxed) } }

    /// The caller holds `names`.
    package func noteMove() { moves.add(1, ordering: .relaxed) }

    /// Refuses another name to a file of a wiped account: one without a name was not found by the
    /// wipe, and must not come up after it. The caller holds `names`.
    package func refuseWiped(_ inode: Inode) throws(Errno) {
        guard inode.isRegular else { return }
        // One without a name was made here, so that its key was here: an account that is gone was
        // wiped.
        let isUnnamed = try status(at: inode.handle.raw, "").st_nlink == 0
        // Reading a header may wait for the file, and with it all threads that wait for `names`.
        guard vault.isWiping || isUnnamed else { return }
        let header = inode.header
        if vault.isWiping, let header {
            let user = try status(at: inode.handle.raw, "").st_uid
            if vault.isBeingWiped(OwnedHeader(header, user: user)) { throw .keyRevoked }
        }
        if isUnnamed, vault.isKeyGone(header) { throw .keyRevoked }
        if vault.isWiping, !inode.isRead { noteMove() }
    }

    /// Refuses to move a file that is about to be removed, and counts the move of what such files
    /// may be in. The caller holds `names`.
    package func checkMove(of name: Name, in parent: Inode) throws(Errno) {
        guard vault.isWiping, let found = try? status(at: parent.handle.raw, name) else { return }
        switch found.st_mode & S_IFMT {
        case S_IFDIR: noteMove()
        case S_IFREG:
            guard let inode = table.known(BackingID(found)) else { return noteMove() }
            try refuseWiped(inode)
        default: break
        }
    }
}
