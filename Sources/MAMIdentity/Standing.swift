// How a program is held to policy, or excepted from it.

/// What is known of a program besides its identity. What it starts has the same standing.
package enum Standing: Sendable, Equatable {
    case ordinary
    /// The kernel keeps it from passing on what it reads.
    case contained
    /// The administrator lets it read what policy keeps from other programs.
    case trusted(Reach)

    /// Whose files a trusted program may read.
    package enum Reach: Sendable, Equatable {
        case ownAccount, allAccounts
    }
}
