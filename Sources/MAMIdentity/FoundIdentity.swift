// The identity that a program acts for, and its origin.

package import MAMModel

/// An identity and its origin.
package struct FoundIdentity: Sendable {
    package enum Source: Sendable, Equatable {
        case thread
        /// Set for that process; its descendants inherit it.
        case process(Int32)
        /// The account that the user registered, or nobody.
        case userDefault
    }

    package let identity: Identity
    package let source: Source
    /// The user that set it.
    package let giver: UInt32
    package let standing: Standing
    /// Identities that it may have in place of this one: nothing tells any more which process or
    /// thread forked it. With ``Source/userDefault``, this one is whatever the user's default is.
    package var possible: [Identity] = []
    /// Several are possible, and none is to be preferred.
    package var isUndecided = false

    package var isContained: Bool { standing == .contained }

    package init(
        identity: Identity, source: Source, giver: UInt32, standing: Standing = .ordinary
    ) {
        self.identity = identity
        self.source = source
        self.giver = giver
        self.standing = standing
    }

    /// The same program without its identity.
    package var forNobody: FoundIdentity { acting(for: .nobody) }

    /// The same program with another identity, and no other possible.
    package func acting(for identity: Identity) -> FoundIdentity {
        FoundIdentity(identity: identity, source: source, giver: giver, standing: standing)
    }

    /// After a wipe.
    func without(_ identity: Identity) -> FoundIdentity {
        var spared = self
        if spared.identity.matches(identity) { spared = acting(for: .nobody) }
        spared.possible = possible.filter { !$0.matches(identity) }
        return spared
    }

    /// The result of a search that found this, or nothing, and other identities that are possible.
    static func doubtful(
        _ found: FoundIdentity?, or possible: [Identity], of user: UInt32
    ) -> FoundIdentity? {
        let others = distinct(possible).filter { found?.identity.matches($0) != true }
        guard !others.isEmpty else { return found }
        var doubtful =
            found ?? FoundIdentity(identity: .nobody, source: .userDefault, giver: user)
        doubtful.possible = distinct(others + doubtful.possible)
        return doubtful
    }

    package static func distinct(_ identities: [Identity]) -> [Identity] {
        identities.reduce(into: []) { all, identity in
            if !all.contains(where: identity.matches) { all.append(identity) }
        }
    }
}

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
