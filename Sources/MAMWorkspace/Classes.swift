// Classes of files, and of directories, from which new children inherit.

internal import Glibc
package import MAMModel
internal import MAMStore
package import MAMSystem
package import MAMTree
package import MAMVault

/// Sets the class of a file, or of a directory's new children.
package struct Classes: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// A directory's class for new children; nil for none.
    ///
    /// Anyone may have set it, because it can only make files stricter than policy does. An invalid
    /// value may have been meant to be strict, so it counts as the strictest.
    func childClass(of directory: Inode) -> ProtectionClass? {
        childClassNote(of: directory)?.value
    }

    private func childClassNote(of directory: Inode) -> Note<ProtectionClass>? {
        let (note, isNew) = directory.withState { state -> (Note<ProtectionClass>?, Bool) in
            if case .read(let found) = state.childClass { return (found, false) }
            let found = ChildClass.read(of: directory.handle, tree.marks)?
                .map { $0 ?? .complete }
            state.childClass = .read(found)
            return (found, true)
        }
        if isNew, let note, !note.isProved {
            DirectoryDefaults(tree).reportUnproved(
                directory, "its class for new files, \(note.value.letter)")
        }
        return note
    }

    /// Gives a new directory its parent's class, proved only if the parent's is.
    func inheritClass(from parent: Inode, to directory: Inode) throws(Errno) {
        guard let inherited = childClassNote(of: parent) else { return }
        try setChildClass(inherited, of: directory)
    }

    /// Nil removes it.
    func setChildClass(_ asked: ProtectionClass?, of directory: Inode) throws(Errno) {
        try setChildClass(asked.map { Note(value: $0, isProved: true) }, of: directory)
    }

    private func setChildClass(
        _ note: Note<ProtectionClass>?, of directory: Inode
    ) throws(Errno) {
        try directory.withState { state throws(Errno) in
            try ChildClass.write(note, of: directory.handle, tree.marks)
            state.childClass = .read(note)
        }
    }

    package func setClass(
        _ asked: ProtectionClass?, of descriptor: Descriptor
    ) throws(VaultError) -> FileProtection {
        let inode = try changeableInode(descriptor)
        if inode.isDirectory {
            try systemCall { () throws(Errno) in try setChildClass(asked, of: inode) }
        } else {
            try KeyRenewal(tree).changingKey { () throws(VaultError) in
                try changeHeader(of: inode) { file throws(VaultError) in
                    try FileClasses(tree.vault).setClass(asked, of: file)
                }
                KeyRenewal(tree).sealAnewIfExposed(inode) { () throws(VaultError) in
                    try Owners(tree).place(of: inode, descriptor)
                }
            }
        }
        return Answers(tree).protection(of: inode)
    }

    /// The inode in this mount to change.
    func changeableInode(_ descriptor: Descriptor) throws(VaultError) -> Inode {
        guard let inode = try Answers(tree).mountedInode(descriptor) else {
            throw .notFound("the file is not in this workspace")
        }
        if tree.isReadOnly { throw VaultError(.readOnly) }
        return inode
    }

    /// Changes a file's header while it cannot be opened or closed.
    func changeHeader(
        of inode: Inode, _ body: (VaultFile) throws(VaultError) -> Void
    ) throws(VaultError) {
        Creator(tree).awaitMakers()
        Owners(tree).awaitConversion(of: inode)
        try inode.withState { state throws(VaultError) in
            try state.refuseIfChanging()
            let file = try fileToChange(inode, &state)
            defer { if state.openCount == 0 { state.facts = file.facts } }
            try keepingSetIDBits(of: inode.handle) { () throws(VaultError) in try body(file) }
        }
        dropPagesOfClosed(inode)
    }

    /// Drops a changed file's pages that were cached while its former class or owner could be read.
    func dropPagesOfClosed(_ inode: Inode) {
        if Lookup(tree).isClosed(inode), inode.openFile == nil { tree.cache.invalidate(inode.node) }
    }

    func fileToChange(
        _ inode: Inode, _ state: inout Inode.State
    ) throws(VaultError) -> VaultFile {
        if let file = state.file, state.isWritable { return file }
        let descriptor = try systemCall { () throws(Errno) in
            try tree.evictor.makingRoom { () throws(Errno) in try openBacking(inode.handle, O_RDWR)
            }
        }
        guard let file = state.file else {
            return try Unsealed(tree).takeIntoUse(descriptor, state)
        }
        file.replaceDescriptor(descriptor)
        state.isWritable = true
        return file
    }
}
