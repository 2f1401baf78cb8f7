// The policies in force, and whom each of them covers.

package import MAMModel

/// All documents that are in force in one workspace.
package struct PolicyBook: Sendable, Equatable {
    package let documents: [PolicyDocument]

    package static let empty = PolicyBook(documents: [])

    package init(documents: [PolicyDocument]) { self.documents = documents }

    /// What the documents that cover an account ask of it together.
    package func policy(for account: Identity) -> EffectivePolicy {
        .merge(documents(for: account))
    }

    /// The documents that cover an account.
    package func documents(for account: Identity) -> [PolicyDocument] { documents }

    /// True if a document covers the account.
    package func covers(_ account: Identity) -> Bool { !documents(for: account).isEmpty }
}
