// Plain files: what may be done with those that name an account, and what a check says of them.

internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Judges plain files that name an account.
package struct Unsealed: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Its content may be anybody's: it is shown, and that is told. What is written to it would be
    /// plain, and of an account whose files are sealed: that is refused.
    func checkUnsealed(
        _ inode: Inode, _ header: FileHeader?, writes: Bool
    ) throws(VaultError) {
        guard let header, Protections(tree.vault).isUnsealed(header) else { return }
        let reason = Protections(tree.vault).reasonAgainstWriting(to: header)
        if writes { throw .refused(reason) }
        FileAudit(tree.vault).auditForgery(reason, of: inode.node, at: tree.relativePath(of: inode))
    }

    /// The backing file as it is now, to be used by an inode that is not in use.
    ///
    /// A file that was sealed when it became known does not become plain but by the daemon:
    /// somebody else has written it.
    func takeIntoUse(
        _ descriptor: Descriptor, _ state: borrowing Inode.State
    ) throws(VaultError) -> VaultFile {
        let file = try Files(tree.vault).file(descriptor)
        if state.facts?.header?.isManaged == true, file.header?.isManaged != true {
            throw .store(.unsealed)
        }
        return file
    }

    func checkSeal(of item: VerifyItem, _ header: FileHeader?) -> Finding? {
        guard let header, Protections(tree.vault).isUnsealed(header) else { return nil }
        let reason = "it is plain although files of \(header.owner) are sealed here"
        return Finding(item.path, .unsealed, reason, .left("mamctl protect seals it"))
    }

    /// Nothing tells what somebody has put there from what a sealed file has turned into.
    func noteForeign(_ item: VerifyItem, _ file: VaultFile) -> Finding? {
        guard case .foreign = file.facts else { return nil }
        let reason = "it has no protection header: its content is plain, and nobody's"
        return Finding(item.path, .foreign, reason, .noted)
    }
}
