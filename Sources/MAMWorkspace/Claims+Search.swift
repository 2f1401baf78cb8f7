// Searches through the tree for what says whose content is.

internal import MAMSystem
internal import MAMTree
internal import MAMVault

extension Claims {
    /// True once `isWanted` holds for something.
    ///
    /// One search at a time, fairly by user: each goes through the whole tree. `shallGoOn`:
    /// whether the caller still waits. Never call this from a thread that serves the mount.
    func hasClaim(
        for user: UInt32, while shallGoOn: () -> Bool, where isWanted: (StoredClaim) -> Bool
    ) throws(SearchEnd) -> Bool {
        var obstacle: (path: ByteString, error: Errno)?
        let found = tree.vault.searches.withLock(for: user) {
            tree.isServed
                ? hasClaim(where: isWanted, while: shallGoOn) { obstacle = ($0, $1) } : nil
        }
        if let found { return found }
        guard let obstacle else { throw .cutShort }
        let place = obstacle.path.bytes.isEmpty ? "the backing directory" : obstacle.path.shown
        tree.vault.log.warning(
            "\(place) cannot be read: \(obstacle.error); which names are in use behind it cannot "
                + "be told until it is repaired or moved out of the backing directory")
        throw .unreadable
    }
}
