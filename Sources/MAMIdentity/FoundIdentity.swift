// Under which identity somebody acts, as it was found.

package import MAMModel

/// An identity, and where it comes from.
package struct FoundIdentity: Sendable {
    package enum Source: Sendable, Equatable {
        case thread
        /// That process was given it; others have it from there.
        case process(Int32)
        /// The account that the user registered, or nobody.
        case userDefault
    }

    package let identity: Identity
    package let source: Source
    /// The user that set it.
    package let giver: UInt32

    package init(identity: Identity, source: Source, giver: UInt32) {
        self.identity = identity
        self.source = source
        self.giver = giver
    }
}
