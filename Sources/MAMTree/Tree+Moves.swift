// Renames during an account's wipe: no file must escape the walk that looks for the account's
// files.

internal import Glibc
package import MAMModel
internal import MAMSystem
internal import MAMVault
internal import Synchronization

extension Tree {
    /// The number of renames so far that may have moved files. Waits for renames in progress.
    package var moveCount: Int { names.exclusive { moves.load(ordering: .relaxed) } }

    /// The caller holds `names`.
    package func noteMove() { moves.add(1, ordering: .relaxed) }

    /// Refuses to link a file of a wiped account: the wipe does not find an unnamed file, which
    /// must not reappear afterwards. The caller holds `names`.
    package func refuseWiped(_ inode: Inode) throws(Errno) {
        guard inode.isRegular else { return }
        // An unnamed file was created here while its key was loaded: if its account is gone, it was
        // wiped.
        let isUnnamed = try status(at: inode.handle.raw, "").st_nlink == 0
        // Reading a header may block on the file, and with it every thread that waits for `names`.
        guard vault.isWiping || isUnnamed else { return }
        let header = inode.header
        if vault.isWiping, let header {
            let user = try status(at: inode.handle.raw, "").st_uid
            if vault.isBeingWiped(OwnedHeader(header, user: user)) { throw .keyRevoked }
        }
        if isUnnamed, vault.isKeyGone(header) { throw .keyRevoked }
        if vault.isWiping, !inode.isRead { noteMove() }
    }

    /// Refuses to move a file that is about to be removed, and counts moves of anything that may
    /// contain such files. The caller holds `names`.
    package func checkMove(of name: Name, in parent: Inode) throws(Errno) {
        guard vault.isWiping, let found = try? status(at: parent.handle.raw, name) else { return }
        switch found.st_mode & S_IFMT {
        case S_IFDIR: noteMove()
        case S_IFREG:
            let id = BackingID(found)
            guard let inode = table.known(id), isRight(inode, for: id) else { return noteMove() }
            try refuseWiped(inode)
        default: break
        }
    }
}
