// The policies in force, per account; they change while files are in use.

internal import MAMKeyring
package import MAMModel
package import MAMPolicy
internal import Synchronization

/// The documents, and what they come to for the accounts that were asked for.
struct PoliciesInForce: Sendable {
    var book: PolicyBook
    var known: [AccountID: EffectivePolicy] = [:]
    var ofAll: EffectivePolicy?

    init(_ book: PolicyBook) { self.book = book }
}

extension Vault {
    package var policies: PolicyBook { inForce.withLock { $0.book } }

    /// What policy asks of an account.
    package func policy(of account: AccountID) -> EffectivePolicy {
        inForce.withLock { inForce in
            if let known = inForce.known[account] { return known }
            let policy = inForce.book.policy(for: keyring.identity(of: account))
            inForce.known[account] = policy
            return policy
        }
    }

    /// What policy asks of an identity: of one that is no account, nothing.
    package func policy(of identity: Identity) -> EffectivePolicy {
        account(of: identity).map { policy(of: $0) } ?? .unrestricted
    }

    /// What holds where it is not known whose a file is going to be: the most restrictive of all accounts.
    var policyOfAll: EffectivePolicy {
        let accounts = keyring.accounts.map { keyring.identity(of: $0) }
        return inForce.withLock { inForce in
            if let known = inForce.ofAll { return known }
            let policy = EffectivePolicy.merge(
                accounts.isEmpty
                    ? inForce.book.documents
                    : accounts.flatMap { inForce.book.documents(for: $0) })
            inForce.ofAll = policy
            return policy
        }
    }

    /// Puts other documents in force: for new files at once, for the others when they are next opened, or unlocked.
    package func replacePolicies(_ book: PolicyBook) {
        inForce.withLock { $0 = PoliciesInForce(book) }
        updateClassesOfUnlockedAccounts()
    }

    /// After a change of the accounts.
    func forgetPolicies() { inForce.withLock { $0 = PoliciesInForce($0.book) } }
}
