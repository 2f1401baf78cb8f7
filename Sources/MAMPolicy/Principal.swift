// One side of a transfer.

package import MAMModel

/// An account for transfer decisions: its identity and its policy.
///
/// An unknown side, nobody, or an account without an organisation is unmanaged and unrestricted.
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

    /// An unknown side.
    package static let nobody = unmanaged(.nobody)

    /// True if both are the same managed account; irrelevant for unmanaged ones.
    package func isSameAccount(as other: Principal) -> Bool {
        isManaged && other.isManaged && identity.matches(other.identity)
    }

    var rules: PolicyRules { policy.rules }
    var receivesFromAll: Bool { policy.inbound == .allApps }

    /// The answer for an account without a policy.
    var freedom: Decision { .yes("\(identity) is not managed: no policy restricts it") }
}
