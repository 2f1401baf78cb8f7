// The same decision as an answer: it opens nothing, and is in no audit.

internal import MAMFormat
package import MAMIdentity
package import MAMModel
internal import MAMStore
package import MAMSystem
package import MAMTree
package import MAMVault

extension Admission {
    /// Why the act is refused to the program; nil if it is not. Throws for what is not in the
    /// mount.
    package func refusal(
        of act: FileAct, on file: Descriptor, to program: FoundIdentity, for caller: Caller
    ) throws(VaultError) -> VaultError? {
        guard let inode = try Answers(tree).mountedInode(file) else {
            throw .notFound("the file is not in this workspace")
        }
        guard inode.isDirectory == (act == .create) else {
            throw .invalid("files are read and written, and created in a directory")
        }
        do throws(VaultError) {
            if act == .create {
                _ = try creation(in: inode, by: program)
            } else {
                try check(act, inode, by: program, for: caller)
            }
            return nil
        } catch { return error }
    }

    private func check(
        _ act: FileAct, _ inode: Inode, by program: FoundIdentity, for caller: Caller
    ) throws(VaultError) {
        let demand = Demand(writes: act == .write, truncates: false, handsOut: true)
        try inode.withState { state throws(VaultError) in
            guard let facts = state.file?.facts ?? state.facts else {
                throw VaultError(.accessDenied)
            }
            if case .damaged(let error) = facts { throw .store(.header(error)) }
            func found() throws(VaultError) -> FoundIdentity { program }
            try checkProgram(demand, facts, state, for: caller, by: found)
            guard !demand.begins(facts, isOpen: state.openCount > 0) else {
                let (owner, asked) = try beginning(of: facts, state, by: program)
                return try Files(tree.vault).checkCreation(by: owner, asking: asked)
            }
            try checkContent(demand, facts, for: caller, by: found)
            guard let header = facts.header, !tree.vault.isOpen(header) else { return }
            throw tree.vault.closure(of: header)
        }
    }
}
