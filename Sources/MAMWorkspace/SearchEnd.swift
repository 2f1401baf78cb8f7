// Why a search through the tree did not see all of it.

internal import MAMVault

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
                + " move it out of the backing directory"
        }
    }
}
