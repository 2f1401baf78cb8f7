// Decides whether a program may use a file: for open(2), and for programs that ask beforehand, or
// why it failed.

internal import MAMFormat
package import MAMIdentity
package import MAMModel
internal import MAMStore
package import MAMSystem
package import MAMTree
package import MAMVault

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

// The same decision as an answer: it opens nothing, and is in no audit.
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

// What policy says about opening a file.
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

// The identity of a request's caller.
extension Callers {
    func found(for caller: Caller) throws(VaultError) -> FoundIdentity {
        try foundOnMount(forThread: caller.thread, user: caller.user)
    }
}
