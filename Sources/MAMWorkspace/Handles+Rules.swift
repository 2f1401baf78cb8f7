// What policy says about opening a file.

internal import MAMFormat
internal import MAMIdentity
internal import MAMModel
internal import MAMStore
internal import MAMTree
internal import MAMVault

extension Handles {
    /// Lets the file be opened, begins it if it is a new one, and cuts it off.
    func admit(
        _ demand: Demand, of file: VaultFile, _ inode: Inode, _ state: inout Inode.State,
        for caller: Caller
    ) throws(VaultError) {
        // Looked for at most once, and only if policy restricts something.
        var known: FoundIdentity?
        func opener() throws(VaultError) -> FoundIdentity {
            if let known { return known }
            let opener = try Callers(tree.vault).found(for: caller)
            known = opener
            return opener
        }
        let (rules, facts) = (Admission(tree), file.facts)
        try rules.checkProgram(demand, facts, state, for: caller, by: opener)
        guard !demand.begins(facts, isOpen: state.openCount > 0) else {
            let (owner, asked) = try rules.beginning(of: facts, state, by: opener())
            try Files(tree.vault).begin(file, as: owner, asking: asked)
            // Whatever fails from here on, the old header is gone.
            state.facts = file.facts
            return
        }
        try rules.checkContent(demand, facts, for: caller, by: opener)
        Unsealed(tree).noteRead(inode, file.header)
        try Files(tree.vault).admit(file)
        updateClass(of: file, inode, &state)
        // Other handles are open: it keeps its owner and stays sealed.
        if demand.truncates { try file.truncate(to: 0) }
    }
}
