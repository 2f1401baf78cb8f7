// Default owners: new children get their directory's if nothing else determines one.

internal import Glibc
package import MAMIdentity
package import MAMModel
internal import MAMSystem
internal import MAMVault

/// The class and the owner that a directory gives to new children.
package struct DirectoryDefaults: Sendable {
    package let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// The owner of a new file in a directory.
    package func owner(of directory: Inode?, by maker: FoundIdentity) -> Identity {
        Callers(tree.vault).owner(by: maker) {
            guard let note = directory.flatMap(childOwnerNote) else { return nil }
            return note.isProved || mayStand(note.value, insteadOf: maker.identity)
                ? note.value : nil
        }
    }

    /// An unproved owner may have been set by another program. It must not make a file plain or
    /// give it to another account, so it counts only where the file would otherwise be plain, and
    /// then seals it.
    private func mayStand(_ owner: Identity, insteadOf other: Identity) -> Bool {
        tree.vault.isManaged(owner) && !tree.vault.isManaged(other)
    }

    /// Nil if there is none, or it is not proved.
    package func childOwner(of directory: Inode) -> Identity? {
        childOwnerNote(of: directory).flatMap { $0.isProved ? $0.value : nil }
    }

    /// Nil if there is none.
    package func childOwnerNote(of directory: Inode) -> Note<Identity>? {
        let (note, isNew) = directory.withState { state -> (Note<Identity>?, Bool) in
            if case .read(let found) = state.childOwner { return (found, false) }
            let found = ChildOwner.read(of: directory.handle, tree.marks).flatMap { note in
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

    /// To the log and the audit, once per known inode.
    package func reportUnproved(_ directory: Inode, _ what: String) {
        FileAudit(tree.vault).auditForgery(
            "\(what), is not proved to be set by this daemon", of: directory.node,
            at: tree.relativePath(of: directory))
    }

    /// Gives a new directory its parent's note, proved only if the parent's is.
    package func inheritOwner(from parent: Inode, to directory: Inode) throws(Errno) {
        guard let inherited = childOwnerNote(of: parent) else { return }
        try setChildOwner(inherited, of: directory)
    }

    /// Nil removes it.
    package func setChildOwner(_ owner: Identity?, of directory: Inode) throws(Errno) {
        try setChildOwner(owner.map { Note(value: $0, isProved: true) }, of: directory)
    }

    private func setChildOwner(_ note: Note<Identity>?, of directory: Inode) throws(Errno) {
        try directory.withState { state throws(Errno) in
            try ChildOwner.write(note, of: directory.handle, tree.marks)
            state.childOwner = .read(note)
        }
    }
}
