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
    package var forNobody: FoundIdentity {
        FoundIdentity(identity: .nobody, source: source, giver: giver, standing: standing)
    }
}
