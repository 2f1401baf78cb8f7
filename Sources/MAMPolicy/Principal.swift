// One side of a transfer.

package import MAMModel

/// An account as far as decisions care: who it is, and what its policy asks.
///
/// A side that nobody knows, that is nobody, or that no organisation manages is unmanaged, and
/// nothing restricts it.
package struct Principal: Sendable {
    package let identity: Identity
    package let isManaged: Bool
    package let policy: EffectivePolicy

    package static func managed(_ identity: Identity, _ policy: EffectivePolicy) -> Principal {
        Principal(identity: identity, isManaged: true, policy: policy)
    }

    package static func unmanaged(_ identity: Identity) -> Principal {
        Principal(identity: identity, isManaged: false, policy: .unrestricted)
    }

    /// What stands for a side of which nothing is known.
    package static let nobody = unmanaged(.nobody)

    /// True if both are one managed account. A person's own accounts never need to be the same.
    package func isSameAccount(as other: Principal) -> Bool {
        isManaged && other.isManaged && identity.matches(other.identity)
    }

    var rules: PolicyRules { policy.rules }
    var receivesFromAll: Bool { policy.inbound == .allApps }

    /// What a policy that does not exist says to every question about what is allowed.
    var freedom: Decision { .yes("\(identity) is not managed: no policy restricts it") }
}
