// What policy says about opening a file.

internal import MAMFormat
internal import MAMIdentity
internal import MAMModel
internal import MAMTree
internal import MAMVault

extension Handles {
    func begin(
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
    func checkContainment(
        of file: VaultFile, _ state: Inode.State, changes: Bool, for caller: Caller,
        by found: () -> FoundIdentity
    ) throws(VaultError) {
        let rules = Containment(tree.vault)
        do throws(VaultError) { try rules.checkReading(of: file.header, by: found) } catch {
            guard isExcepted(caller, found(), file) else { throw error }
        }
        // A file without a header is nobody's until it is begun.
        guard changes, let header = file.header else { return }
        try rules.checkWriting(of: header, by: found)
        try rules.checkCompany(of: rules.confined(header)) {
            state.areHandles(of: $0)
        }
    }

    func checkTransfer(
        of file: VaultFile, for caller: Caller, to found: () -> FoundIdentity
    ) throws(VaultError) {
        do throws(VaultError) {
            try Transfers(tree.vault).checkTransfer(of: file.header) { found().identity }
        } catch {
            guard isExcepted(caller, found(), file) else { throw error }
        }
    }

    private func isExcepted(_ caller: Caller, _ found: FoundIdentity, _ file: VaultFile) -> Bool {
        tree.isOverriding(caller.thread)
            || Containment(tree.vault).trusts(found, with: file.header)
    }
}
