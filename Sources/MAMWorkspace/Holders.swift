// Files that hold protected data: copies of sealed files or of streams, which the mount shows and
// seals as it does any content.

internal import Glibc
internal import MAMFormat
internal import MAMModel
package import MAMSystem
package import MAMTree
package import MAMVault

/// Looks into files for protected data.
package struct Holders: Sendable {
    private let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Whether the file's content is protected data: for its owner, as access lists are the
    /// kernel's to judge. Nil for others, and while the kernel may have content that is not here.
    package func holdsData(
        _ descriptor: Descriptor, for user: UInt32
    ) throws(VaultError) -> Bool? {
        let facts = try systemCall { () throws(Errno) in try CachedFacts(of: descriptor.raw) }
        guard facts.uid == user, facts.isReadableByOwner, facts.type == S_IFREG,
            let inode = try Answers(tree).mountedInode(descriptor),
            inode.withState({ $0.writerCount }) == 0
        else { return nil }
        guard facts.size >= StreamForm.minimumByteCount else { return false }
        return try ownerOfDataHeld(in: inode) != nil
    }

    func ownerOfDataHeld(in inode: Inode) throws(VaultError) -> Identity? {
        let file = try FileCheck(tree).beginCheck(inode)
        defer { inode.letFileGo() }
        try Files(tree.vault).admit(file)
        return try file.ownerOfDataHeld()
    }
}

extension Owners {
    /// Its data would stay sealed in a file that was reported as decrypted.
    func refuseHolder(_ inode: Inode) throws(VaultError) {
        guard let owner = try Holders(tree).ownerOfDataHeld(in: inode) else { return }
        throw .invalid(
            "it holds protected data of \(owner), which is opened only into another file",
            next: "mamctl decrypt FILE -o NEW")
    }
}
