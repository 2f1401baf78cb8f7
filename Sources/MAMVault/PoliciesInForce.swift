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
    /// Whether the account's files are only for contained programs, read at every open.
    package let isContained: Bool

    package init(_ policy: EffectivePolicy, _ settings: Settings) {
        self.policy = policy
        classRule = settings.classRule(policy)
        sendsToAll = policy.sendsToAll
        isContained = settings.requiresContainment(under: policy)
    }
}

/// The documents, and the policies merged from them so far.
package struct PoliciesInForce: Sendable {
    package var book: PolicyBook
    package var refused: [RefusedDocument] = []
    package var known: [AccountID: MergedPolicy] = [:]
    package var ofAll: MergedPolicy?
    /// By the numbers of the documents. Most accounts have the same ones.
    private var merged: [[Int]: MergedPolicy] = [:]

    package init(_ book: PolicyBook, refused: [RefusedDocument] = []) {
        self.book = book
        self.refused = refused
    }

    mutating func policy(for identity: Identity, _ settings: Settings) -> MergedPolicy {
        let numbers = book.numbers(for: identity)
        if let merged = merged[numbers] { return merged }
        let policy = MergedPolicy(book.policy(of: numbers), settings)
        merged[numbers] = policy
        return policy
    }

    /// The accounts have changed, the documents have not.
    mutating func forgetAccounts() { (known, ofAll) = ([:], nil) }
}
