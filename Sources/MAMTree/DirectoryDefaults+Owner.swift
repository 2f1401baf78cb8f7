// Default owners of directories, which their new children have if nothing else says whose they are.

internal import Glibc
package import MAMModel
package import MAMSystem
internal import MAMVault

/// The class and the owner that a directory gives to what is made in it.
package struct DirectoryDefaults: Sendable {
    package let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Whose a new file in a directory is.
    package func owner(of directory: Inode?, for caller: Caller) -> Identity {
        Callers(tree.vault).identity(ofThread: caller.thread, user: caller.user) {
            guard let note = directory.flatMap(childOwnerNote) else { return nil }
            return note.isProved || mayStand(note.value, for: caller) ? note.value : nil
        }
    }

    /// An owner that nothing proves may have been put there by somebody else. It makes nothing
    /// plain, and nothing another account's: it counts where the file would be plain otherwise, and
    /// is sealed for it.
    private func mayStand(_ owner: Identity, for caller: Caller) -> Bool {
        tree.vault.isManaged(owner)
            && !tree.vault.isManaged(Callers(tree.vault).defaultIdentity(ofUser: caller.user))
    }

    /// Nil for none, and for one that nothing proves.
    package func childOwner(of directory: Inode) -> Identity? {
        childOwnerNote(of: directory).flatMap { $0.isProved ? $0.value : nil }
    }

    /// Nil for none.
    package func childOwnerNote(of directory: Inode) -> Note<Identity>? {
        let (note, isNew) = directory.withState { state -> (Note<Identity>?, Bool) in
            if case .read(let found) = state.childOwner { return (found, false) }
            let found = ChildOwner.read(of: directory.handle, tree.vault.marks).flatMap { note in
                note.value.map { owner in note.map { _ in tree.vault.canonical(owner) } }
            }
            state.childOwner = .read(found)
            return (found, true)
        }
        if isNew, let note, !note.isProved {
            reportUnproved(directory, "its owner for new files, \(note.value)")
        }
        return note
    }

    /// In the log and the audit, once while the directory is known.
    package func reportUnproved(_ directory: Inode, _ what: String) {
        FileAudit(tree.vault).auditForgery(
            "\(what), is not proved to be set by this daemon", of: directory.node,
            at: tree.relativePath(of: directory))
    }

    /// Makes a new directory say what its parent says, and no surer.
    package func inheritOwner(from parent: Inode, to directory: Inode) throws(Errno) {
        guard let inherited = childOwnerNote(of: parent) else { return }
        try setChildOwner(inherited, of: directory)
    }

    /// Nil takes it away.
    package func setChildOwner(_ owner: Identity?, of directory: Inode) throws(Errno) {
        try setChildOwner(owner.map { Note(value: $0, isProved: true) }, of: directory)
    }

    private func setChildOwner(_ note: Note<Identity>?, of directory: Inode) throws(Errno) {
        try directory.withState { state throws(Errno) in
            try ChildOwner.write(note, of: directory.handle, tree.vault.marks)
            state.childOwner = .read(note)
        }
    }
}
