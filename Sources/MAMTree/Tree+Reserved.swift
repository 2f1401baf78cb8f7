// Names at the top of the mount that are not for everybody.

internal import Glibc
package import MAMModel
internal import MAMSystem

extension Tree {
    /// True for names of the workspace's own directory, which appear missing and cannot be created.
    package func isHidden(_ name: Name, in parent: Inode) -> Bool {
        parent.node == InodeTable.rootNode && strcmp(name, Self.hiddenName) == 0
    }

    /// Refuses to make or move a name that is hidden, or another user's.
    package func refuseReserved(
        _ name: Name, in parent: Inode, for user: UInt32
    ) throws(Errno) {
        if isHidden(name, in: parent) { throw .notPermitted }
        try refuseOthersHome(name, in: parent, for: user)
    }

    /// The homes of users' contained programs are theirs and root's, whoever may write the
    /// directory: otherwise whoever came first would keep a user from starting any.
    package func refuseOthersHome(
        _ name: Name, in parent: Inode, for user: UInt32
    ) throws(Errno) {
        guard user != 0, parent.node == InodeTable.rootNode,
            let owner = SealedHome.user(ofTop: ByteString(cString: name).bytes), owner != user
        else { return }
        throw .notPermitted
    }
}
