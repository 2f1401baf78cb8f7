// Searches through the tree for what says whose content is.

internal import MAMSystem

/// Why a search has not seen the whole tree.
package enum SearchEnd: Error, Equatable {
    /// Its caller has gone, or the mount ends.
    case cutShort
    /// The log names what.
    case unreadable
}

extension SearchEnd: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cutShort: "it was cut short"
        case .unreadable:
            "something here cannot be read, and the daemon's log names it: root must repair it, or"
                + " move"
                + " it out of the backing directory"
        }
    }
}

extension Vault {
    /// True once `isWanted` holds for something.
    ///
    /// One search at a time, fairly by user: each goes through the whole tree. `shallGoOn`:
    /// whether the caller still waits. Never call this from a thread that serves the mount.
    func hasClaim(
        for user: UInt32, while shallGoOn: () -> Bool, where isWanted: (StoredClaim) -> Bool
    ) throws(SearchEnd) -> Bool {
        var obstacle: (path: ByteString, error: Errno)?
        let found = searches.withLock(for: user) {
            mount?.hasClaim(where: isWanted, while: shallGoOn) { obstacle = ($0, $1) }
        }
        if let found { return found }
        guard let obstacle else { throw .cutShort }
        let place = obstacle.path.bytes.isEmpty ? "the backing directory" : obstacle.path.shown
        log.warning(
            "\(place) cannot be read: \(obstacle.error); which names are in use behind it cannot "
                + "be told until it is repaired or moved out of the backing directory")
        throw .unreadable
    }
}
