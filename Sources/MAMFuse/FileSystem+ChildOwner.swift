// Default owners of directories, which their new children have if nothing else says whose they are.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMVault

extension FileSystem {
    /// Whose a new file in a directory is.
    func owner(of directory: Inode?, for caller: Caller) -> Identity {
        vault.identity(ofThread: caller.thread, user: caller.user) {
            directory.flatMap(childOwner)
        }
    }

    /// Nil for none.
    func childOwner(of directory: Inode) -> Identity? {
        directory.withState { state in
            if case .read(let found) = state.childOwner { return found }
            let found = ChildOwner.read(of: directory.handle).map(vault.canonical)
            state.childOwner = .read(found)
            return found
        }
    }

    /// Makes a new directory say what its parent says.
    func inheritOwner(from parent: Inode, to directory: Inode) throws(Errno) {
        guard let inherited = childOwner(of: parent) else { return }
        try setChildOwner(inherited, of: directory)
    }

    /// Nil takes it away.
    func setChildOwner(_ owner: Identity?, of directory: Inode) throws(Errno) {
        try directory.withState { state throws(Errno) in
            try ChildOwner.write(owner, of: directory.handle)
            state.childOwner = .read(owner)
        }
    }
}
