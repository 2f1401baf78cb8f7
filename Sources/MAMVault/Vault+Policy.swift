// The policies in force, by account; they change while files are in use.

internal import MAMKeyring
internal import MAMLocks
package import MAMModel
package import MAMPolicy
internal import MAMSystem

extension Vault {
    package var policies: PolicyBook { inForce.withLock { $0.book } }

    /// An account's policy.
    package func policy(of account: AccountID) -> EffectivePolicy { merged(of: account).policy }

    package func merged(of account: AccountID) -> MergedPolicy {
        inForce.withLock { inForce in
            if let known = inForce.known[account] { return known }
            let policy = inForce.policy(for: keyring.identity(of: account), settings)
            inForce.known[account] = policy
            return policy
        }
    }

    /// An identity's policy; empty if it is unmanaged.
    package func policy(of identity: Identity) -> EffectivePolicy {
        account(of: identity).map { policy(of: $0) } ?? .unrestricted
    }

    /// The policy for a file whose owner is not known yet: the most restrictive of all accounts.
    package var mergedOfAll: MergedPolicy {
        if let known = inForce.withLock({ $0.ofAll }) { return known }
        let accounts = keyring.accounts.map { keyring.identity(of: $0) }
        return inForce.withLock { inForce in
            if let known = inForce.ofAll { return known }
            let policy = MergedPolicy(
                .merge(
                    accounts.isEmpty
                        ? inForce.book.documents
                        : accounts.flatMap { inForce.book.documents(for: $0) }), settings)
            inForce.ofAll = policy
            return policy
        }
    }

    /// Files of the policy directory whose current content is not in force.
    package var refusedDocuments: [RefusedDocument] { inForce.withLock { $0.refused } }

    /// Call after a change of the accounts.
    package func forgetPolicies() { inForce.withLock { $0.forgetAccounts() } }
}
