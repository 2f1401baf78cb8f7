// What the vault asks of its mount.

package import MAMFormat
package import MAMSystem
package import MAMTree
package import MAMVault

/// The mounted side of a vault's files.
package struct VaultSide: VaultMount {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package var isReadOnly: Bool { tree.isReadOnly }

    package func purge(
        until deadline: Deadline, _ isAffected: @escaping @Sendable (CachedFile) -> Bool
    ) -> [UInt64] {
        Purge(tree).purge(until: deadline, isAffected)
    }

    package func stragglers(_ nodes: [UInt64]) -> [Straggler] { Purge(tree).stragglers(nodes) }

    package func updateClasses(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool {
        ClassUpdates(tree).updateClasses(of: isWanted, while: shallGoOn)
    }

    package func sealAnew(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool {
        KeyRenewal(tree).sealAnew(of: isWanted, while: shallGoOn)
    }

    package func hasClaim(
        where isWanted: (StoredClaim) -> Bool, while shallGoOn: () -> Bool,
        failed: (ByteString, Errno) -> Void
    ) -> Bool? {
        Claims(tree).hasClaim(where: isWanted, while: shallGoOn, failed: failed)
    }

    package func removeFiles(
        where isWanted: (OwnedHeader) -> Bool, progressed: (WipeProgress) -> Void
    ) -> RemovedFiles {
        Removal(tree).removeFiles(where: isWanted, progressed: progressed)
    }
}
