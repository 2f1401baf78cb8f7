// What policy says about opening a file.

internal import MAMFormat
internal import MAMIdentity
internal import MAMModel
internal import MAMStore
internal import MAMTree
internal import MAMVault

/// What an open(2) is for.
struct Demand {
    let writes: Bool
    let truncates: Bool
    /// False if the caller only changes the content and does not get it.
    let handsOut: Bool

    var changes: Bool { writes || truncates }
}

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
        let isInUse = state.openCount > 0 && file.header != nil
        let begins = demand.writes && file.facts.isEmpty || demand.truncates && !isInUse
        // A file without a header is nobody's, also when it is begun.
        let changes = demand.changes && (file.header != nil || !begins)
        try checkContainment(of: file, state, changes: changes, for: caller, by: opener)
        try checkUser(of: file, for: caller, by: opener)
        if begins { return try begin(file, &state, by: opener()) }
        if demand.handsOut { try checkTransfer(of: file, for: caller, to: opener) }
        try Files(tree.vault).checkForeign(file)
        try Unsealed(tree).checkUnsealed(inode, file.header, writes: demand.changes)
        try Files(tree.vault).admit(file)
        updateClass(of: file, inode, &state)
        // Other handles are open: it keeps its owner and stays sealed.
        if demand.truncates { try file.truncate(to: 0) }
    }

    private func begin(
        _ file: VaultFile, _ state: inout Inode.State, by maker: FoundIdentity
    ) throws(VaultError) {
        let parent = try? tree.table.inode(state.lastParent)
        let owner = DirectoryDefaults(tree).owner(of: parent, by: maker)
        try Containment(tree.vault).checkBeginning(of: owner, by: maker)
        let openCount = state.openCount
        try Containment(tree.vault).checkCompany(of: tree.vault.account(of: owner)) { _ in
            openCount == 0
        }
        let asked = file.header?.sealing?.askedClass ?? parent.flatMap(Classes(tree).childClass)
        try Files(tree.vault).begin(file, as: owner, asking: asked)
        // Whatever fails from here on, the old header is gone.
        state.facts = file.facts
    }

    /// Also for what is only truncated: that destroys it.
    private func checkContainment(
        of file: VaultFile, _ state: Inode.State, changes: Bool, for caller: Caller,
        by found: () throws(VaultError) -> FoundIdentity
    ) throws(VaultError) {
        let rules = Containment(tree.vault)
        do throws(VaultError) { try rules.checkReading(of: file.header, by: found) } catch {
            guard try isExcepted(caller, found(), file) else { throw error }
        }
        guard changes else { return }
        try rules.checkWriting(of: file.header, by: found)
        try rules.checkCompany(of: rules.confined(file.header)) {
            state.areHandles(of: $0)
        }
    }

    /// Also for what is only changed or cut off.
    private func checkUser(
        of file: VaultFile, for caller: Caller, by found: () throws(VaultError) -> FoundIdentity
    ) throws(VaultError) {
        do throws(VaultError) {
            try Transfers(tree.vault).checkUser(caller.user, of: file.header) {
                () throws(VaultError) in try found().identity
            }
        } catch {
            guard try isExcepted(caller, found(), file) else { throw error }
        }
    }

    private func checkTransfer(
        of file: VaultFile, for caller: Caller, to found: () throws(VaultError) -> FoundIdentity
    ) throws(VaultError) {
        do throws(VaultError) {
            try Transfers(tree.vault).checkTransfer(of: file.header) {
                () throws(VaultError) in try found().identity
            }
        } catch {
            guard try isExcepted(caller, found(), file) else { throw error }
        }
    }

    private func isExcepted(_ caller: Caller, _ found: FoundIdentity, _ file: VaultFile) -> Bool {
        tree.isOverriding(caller.thread)
            || Containment(tree.vault).trusts(found, with: file.header)
    }
}
