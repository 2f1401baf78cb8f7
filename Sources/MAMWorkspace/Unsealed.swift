// Plain files that name an account: permitted uses, and findings of a check.

internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Handles plain files that name an account.
package struct Unsealed: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Anybody may have written its content: it is shown, and reported.
    func noteRead(_ inode: Inode, _ header: FileHeader?) {
        guard let header, Protections(tree.vault).isUnsealed(header) else { return }
        let reason = Protections(tree.vault).reasonAgainstWriting(to: header)
        FileAudit(tree.vault)
            .auditForgery(reason.english, of: inode.node, at: tree.relativePath(of: inode))
    }

    /// Opens the current backing file for an inode that is not in use. `knownSize`: its
    /// `st_size`, if that was already read.
    ///
    /// Only the daemon turns a sealed file into a plain one: if a file was sealed when it became
    /// known and is plain now, another program wrote it.
    func takeIntoUse(
        _ descriptor: Descriptor, knownSize: Int64? = nil, _ state: borrowing Inode.State
    ) throws(VaultError) -> VaultFile {
        let file = try Files(tree.vault).file(descriptor, knownSize: knownSize)
        if state.facts?.header?.isManaged == true, file.header?.isManaged != true {
            // What it is when it becomes known may be empty; this one may have had content since.
            if case .unwritten = file.facts { throw .store(.header(.gone)) }
            throw .store(.unsealed)
        }
        return file
    }

    func checkSeal(of item: VerifyItem, _ header: FileHeader?) -> Finding? {
        guard let header, Protections(tree.vault).isUnsealed(header) else { return nil }
        let reason: Message = "it is plain although files of \(header.owner) are sealed here"
        return Finding(item.path, .unsealed, reason, .left("mamctl protect seals it"))
    }

    /// A plain file from another program cannot be told from a sealed file whose header is lost.
    func noteForeign(_ item: VerifyItem, _ file: VaultFile) -> Finding? {
        guard case .foreign = file.facts else { return nil }
        let reason: Message = "it has no protection header: its content is plain, and nobody's"
        return Finding(item.path, .foreign, reason, .noted)
    }
}
