// Checks the defaults that directories have for new children.

internal import Glibc
internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Checks directories' defaults for new files.
package struct NoteCheck: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// `path`: relative to the root.
    func checkNotes(of directory: Inode, at path: ByteString, _ repair: Bool) -> [Finding] {
        [checkClass(of: directory, path, repair), checkOwner(of: directory, path, repair)]
            .compactMap(\.self)
    }

    /// A repair proves any valid class, because none is weaker than policy's.
    private func checkClass(
        of directory: Inode, _ path: ByteString, _ repair: Bool
    ) -> Finding? {
        guard let note = ChildClass.read(of: directory.handle, tree.marks), !note.isSound()
        else {
            return nil
        }
        let asked = note.value ?? .complete
        let (problem, reason): (Finding.Problem, Message) =
            note.value == nil
            ? (.directoryClass, "its class for new files makes no sense, and counts as A")
            : (
                .unproved,
                "nothing proves that this daemon set its class for new files, \(asked.letter)"
            )
        return Finding(
            path, problem, reason,
            outcome(repair, "set to \(asked.letter)") { () throws(Errno) in
                try Classes(tree).setChildClass(asked, of: directory)
            })
    }

    /// A repair proves an account if the directory belongs to its user, and removes unmanaged
    /// owners, which have no effect.
    private func checkOwner(
        of directory: Inode, _ path: ByteString, _ repair: Bool
    ) -> Finding? {
        guard let note = ChildOwner.read(of: directory.handle, tree.marks), !note.isSound()
        else {
            return nil
        }
        guard let owner = note.value.map(tree.vault.canonical) else {
            let reason: Message = "its owner for new files makes no sense, and counts as none"
            return Finding(
                path, .directoryOwner, reason,
                outcome(repair, "taken away") { () throws(Errno) in
                    try DirectoryDefaults(tree).setChildOwner(nil, of: directory)
                })
        }
        let reason: Message =
            "nothing proves that this daemon set its owner for new files, \(owner)"
        return Finding(
            path, .unproved, reason, outcome(ofUnproved: owner, directory, repair))
    }

    private func outcome(
        ofUnproved owner: Identity, _ directory: Inode, _ repair: Bool
    ) -> Finding.Outcome {
        guard let registrant = tree.vault.registrant(of: owner) else {
            return outcome(repair, "taken away") { () throws(Errno) in
                try DirectoryDefaults(tree).setChildOwner(nil, of: directory)
            }
        }
        guard (try? status(at: directory.handle.raw, ""))?.st_uid == registrant else {
            return .left("mamctl protect --only-new --owner \(owner), if it is so")
        }
        return outcome(repair, "set to \(owner)") { () throws(Errno) in
            try DirectoryDefaults(tree).setChildOwner(owner, of: directory)
        }
    }

    private func outcome(
        _ repair: Bool, _ action: String, _ change: () throws(Errno) -> Void
    ) -> Finding.Outcome {
        guard repair else { return .left(nil) }
        do throws(Errno) {
            try change()
            return .repaired(action)
        } catch { return .left("\(error)") }
    }
}

extension Note {
    /// It is valid and proved.
    fileprivate func isSound<Wrapped>() -> Bool where Value == Wrapped? {
        isProved && value != nil
    }
}
