// Why a search of the tree was incomplete.

internal import MAMVault

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
