// Files that hold protected data: copies of sealed files or of streams, which the mount shows and
// seals as it does any content.

internal import MAMModel
internal import MAMTree
internal import MAMVault

extension Owners {
    /// Its data would stay sealed in a file that was reported as decrypted.
    func refuseHolder(_ inode: Inode) throws(VaultError) {
        let check = FileCheck(tree)
        let file = try check.beginCheck(inode)
        defer { check.endCheck(inode) }
        try Files(tree.vault).admit(file)
        guard let owner = try file.ownerOfDataHeld() else { return }
        throw .invalid(
            "it holds protected data of \(owner), which is opened only into another file",
            next: "mamctl decrypt FILE -o NEW")
    }
}
