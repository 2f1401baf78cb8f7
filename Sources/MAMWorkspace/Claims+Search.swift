// Searches the tree for evidence of who owns content.

internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault

extension Claims {
    /// True once `isWanted` holds for something.
    ///
    /// Searches walk the whole tree, so they run one at a time, fairly by user. `shallGoOn`:
    /// whether the caller is still waiting. Never call this from a thread that serves the mount.
    func hasClaim(
        for user: UInt32, while shallGoOn: () -> Bool, where isWanted: (StoredClaim) -> Bool
    ) throws(SearchEnd) -> Bool {
        var obstacle: (path: ByteString, error: Errno)?
        let found = tree.vault.walks.claims.inTurn(of: user) {
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

/// Why a search did not see the whole tree.
package enum SearchEnd: Error, Equatable {
    /// The caller is gone, or the mount is ending.
    case cutShort
    /// A directory or file was unreadable; the log names it.
    case unreadable
}

extension SearchEnd: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cutShort: "it was cut short"
        case .unreadable:
            "something here cannot be read, and the daemon's log names it: root must repair it, or"
                + " move it out of the backing directory"
        }
    }
}
