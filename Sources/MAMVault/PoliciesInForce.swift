// The documents in force, and the merged policy of each account.

package import MAMModel
package import MAMPolicy
package import MAMSettings

/// A policy with the values that every open and create needs. Passed by reference, because copying
/// a policy copies very many parts.
package final class MergedPolicy: Sendable {
    package let policy: EffectivePolicy
    package let classRule: ClassRule
    /// ``EffectivePolicy/sendsToAll``, read at every open.
    package let sendsToAll: Bool

    package init(_ policy: EffectivePolicy, _ settings: Settings) {
        self.policy = policy
        classRule = settings.classRule(policy)
        sendsToAll = policy.sendsToAll
    }
}

/// The documents, and the policies merged from them so far.
package struct PoliciesInForce: Sendable {
    package var book: PolicyBook
    package var refused: [RefusedDocument] = []
    package var known: [AccountID: MergedPolicy] = [:]
    package var ofAll: MergedPolicy?

    package init(_ book: PolicyBook, refused: [RefusedDocument] = []) {
        self.book = book
        self.refused = refused
    }
}
