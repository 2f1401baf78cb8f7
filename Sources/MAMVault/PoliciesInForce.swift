// The documents in force, and what they come to for each account.

package import MAMModel
package import MAMPolicy
package import MAMSettings

/// A policy, and of it what every open and every new file asks: handed out as one reference, for a
/// policy has very many parts to be copied.
package final class MergedPolicy: Sendable {
    package let policy: EffectivePolicy
    package let classRule: ClassRule
    /// ``EffectivePolicy/sendsToAll``, asked at every open.
    package let sendsToAll: Bool

    package init(_ policy: EffectivePolicy, _ settings: Settings) {
        self.policy = policy
        classRule = settings.classRule(policy)
        sendsToAll = policy.sendsToAll
    }
}

/// The documents, and what they come to for the accounts that were asked for.
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
