// Decides whether a program may use a file: for open(2), and for programs that ask beforehand, or
// why it failed.

internal import MAMFormat
internal import MAMIdentity
internal import MAMModel
internal import MAMStore
package import MAMTree
internal import MAMVault

/// What an open(2) is for.
struct Demand {
    let writes: Bool
    let truncates: Bool
    /// False if the caller only changes the content and does not get it.
    let handsOut: Bool

    var changes: Bool { writes || truncates }

    /// Whether it makes a new file of what is there. Other handles keep the file's owner.
    func begins(_ facts: FileFacts, isOpen: Bool) -> Bool {
        writes && facts.isEmpty || truncates && !(isOpen && facts.header != nil)
    }
}

/// Decides which programs may use a file, in the order in which the causes are told. Modes and
/// access lists are the kernel's to judge (docs/adr/0086-one-refusal.md).
package struct Admission: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// What the rules say of the program, whatever the state of the account and the file.
    func checkProgram(
        _ demand: Demand, _ facts: FileFacts, _ state: Inode.State, for caller: Caller,
        by found: () throws(VaultError) -> FoundIdentity
    ) throws(VaultError) {
        let header = facts.header
        let rules = Containment(tree.vault)
        try excepting(caller, found, header) { () throws(VaultError) in
            try rules.checkReading(of: header, by: found)
        }
        // A file without a header has no owner, also when it is begun.
        let begins = demand.begins(facts, isOpen: state.openCount > 0)
        if demand.changes, header != nil || !begins {
            try rules.checkWriting(of: header, by: found)
            try rules.checkCompany(of: rules.confined(header)) { state.areHandles(of: $0) }
        }
        // Also for what is only changed or cut off.
        try excepting(caller, found, header) { () throws(VaultError) in
            try Transfers(tree.vault).checkUser(caller.user, of: header) {
                () throws(VaultError) in try found().identity
            }
        }
    }

    /// Whose a file becomes that is begun, and what class is asked for it.
    func beginning(
        of facts: FileFacts, _ state: Inode.State, by maker: FoundIdentity
    ) throws(VaultError) -> (owner: Identity, asked: ProtectionClass?) {
        let parent = try? tree.table.inode(state.lastParent)
        let owner = DirectoryDefaults(tree).owner(of: parent, by: maker)
        try Containment(tree.vault).checkBeginning(of: owner, by: maker)
        let openCount = state.openCount
        try Containment(tree.vault).checkCompany(of: tree.vault.account(of: owner)) { _ in
            openCount == 0
        }
        let asked = facts.header?.sealing?.askedClass ?? parent.flatMap(Classes(tree).childClass)
        return (owner, asked)
    }

    /// The same for a file that is made in a directory.
    func creation(
        in parent: Inode, by maker: FoundIdentity
    ) throws(VaultError) -> (owner: Identity, asked: ProtectionClass?) {
        let owner = DirectoryDefaults(tree).owner(of: parent, by: maker)
        try Containment(tree.vault).checkBeginning(of: owner, by: maker)
        let asked = Classes(tree).childClass(of: parent)
        try Files(tree.vault).checkCreation(by: owner, asking: asked)
        return (owner, asked)
    }

    /// What the rules say of the content that the program gets or changes.
    func checkContent(
        _ demand: Demand, _ facts: FileFacts, for caller: Caller,
        by found: () throws(VaultError) -> FoundIdentity
    ) throws(VaultError) {
        let header = facts.header
        if demand.handsOut {
            try excepting(caller, found, header) { () throws(VaultError) in
                try Transfers(tree.vault).checkTransfer(of: header) {
                    () throws(VaultError) in try found().identity
                }
            }
        }
        try Files(tree.vault).checkForeign(facts)
        guard demand.changes, let header, Protections(tree.vault).isUnsealed(header) else {
            return
        }
        // The data would be plain although the account's files are sealed.
        throw .refused(Protections(tree.vault).reasonAgainstWriting(to: header))
    }

    /// The daemon itself acts for root, or the administrator trusts the program.
    private func excepting(
        _ caller: Caller, _ found: () throws(VaultError) -> FoundIdentity, _ header: FileHeader?,
        _ check: () throws(VaultError) -> Void
    ) throws(VaultError) {
        do throws(VaultError) { try check() } catch {
            if tree.isOverriding(caller.thread) { return }
            guard try Containment(tree.vault).trusts(found(), with: header) else { throw error }
        }
    }
}
