// The policies in force, by account.

internal import MAMKeyring
package import MAMModel
package import MAMPolicy

extension Vault {
    package var policies: PolicyBook { rules.book }

    /// An account's policy.
    package func policy(of account: AccountID) -> EffectivePolicy { merged(of: account).policy }

    package func merged(of account: AccountID) -> MergedPolicy {
        rules.policy(of: account) { keyring.identity(of: account) }
    }

    /// An identity's policy; empty if it is unmanaged.
    package func policy(of identity: Identity) -> EffectivePolicy {
        account(of: identity).map { policy(of: $0) } ?? .unrestricted
    }

    /// The policy for a file whose owner is not known yet: the most restrictive of all accounts.
    package var mergedOfAll: MergedPolicy {
        rules.policyOfAll { keyring.accounts.map { keyring.identity(of: $0) } }
    }

    package var refusedDocuments: [RefusedDocument] { rules.refused }
}
