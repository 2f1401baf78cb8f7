// The policies in force, per account; they change while files are in use.

internal import MAMKeyring
package import MAMModel
package import MAMPolicy
internal import MAMSystem

/// The documents, and what they come to for the accounts that were asked for.
struct PoliciesInForce: Sendable {
    var book: PolicyBook
    var refused: [RefusedDocument] = []
    var known: [AccountID: MergedPolicy] = [:]
    var ofAll: MergedPolicy?

    init(_ book: PolicyBook, refused: [RefusedDocument] = []) {
        self.book = book
        self.refused = refused
    }
}

/// A policy, and of it what every open and every new file asks: handed out as one reference, for a
/// policy has very many parts to be copied.
final class MergedPolicy: Sendable {
    let policy: EffectivePolicy
    let protectionClass: ProtectionClass
    private let ceiling: ProtectionClass
    /// ``EffectivePolicy/sendsToAll``, asked at every open.
    let sendsToAll: Bool

    init(_ policy: EffectivePolicy, _ settings: Settings) {
        self.policy = policy
        protectionClass = policy.protectionClass(settings: settings)
        ceiling = settings.maximumClass
        sendsToAll = policy.sendsToAll
    }

    /// As ``EffectivePolicy/effectiveClass(asked:settings:)``.
    func effectiveClass(asked: ProtectionClass?) -> ProtectionClass {
        (asked.map(protectionClass.stricter) ?? protectionClass).weaker(of: ceiling)
    }
}

extension Vault {
    package var policies: PolicyBook { inForce.withLock { $0.book } }

    /// What policy asks of an account.
    package func policy(of account: AccountID) -> EffectivePolicy { merged(of: account).policy }

    func merged(of account: AccountID) -> MergedPolicy {
        inForce.withLock { inForce in
            if let known = inForce.known[account] { return known }
            let policy = MergedPolicy(
                inForce.book.policy(for: keyring.identity(of: account)), settings)
            inForce.known[account] = policy
            return policy
        }
    }

    /// What policy asks of an identity: of one that is no account, nothing.
    package func policy(of identity: Identity) -> EffectivePolicy {
        account(of: identity).map { policy(of: $0) } ?? .unrestricted
    }

    /// What holds where it is not known whose a file is going to be: the most restrictive of all
    /// accounts.
    var mergedOfAll: MergedPolicy {
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

    /// Documents of the policy directory that are not in force as they stand there.
    package var refusedDocuments: [RefusedDocument] { inForce.withLock { $0.refused } }

    /// What the organisation tells the programs of an identity; nothing to those of one that is no
    /// account. It may hold secrets, and goes to none that only came first.
    package func configuration(of identity: Identity) throws(VaultError) -> AppConfiguration {
        guard let account = account(of: identity) else { return .empty }
        let own = keyring.identity(of: account)
        let user = keyring.uid(of: account) ?? 0
        guard right(of: user, to: own) == .given else {
            throw .refused(
                "the app configuration of \(own) goes to a user to whom AccountUsers gives that"
                    + " name: root adds \"\(own)\": \(user) to it in settings.json"
            )
        }
        return policies.configuration(for: own)
    }

    /// Puts other documents in force: for new files at once, for the others when they are next
    /// opened, or unlocked. Tells the accounts for which something is another than before.
    ///
    /// `book`: nil for the same documents. `refused`: files that could not be used.
    package func replacePolicies(_ book: PolicyBook?, refused: [RefusedDocument] = []) {
        guard let book else { return inForce.withLock { $0.refused = refused } }
        let old = policies
        inForce.withLock { $0 = PoliciesInForce(book, refused: refused) }
        for account in keyring.accounts {
            announceChanges(for: keyring.identity(of: account), account, from: old, to: book)
            updateRecovery(of: account)
        }
        updateClassesOfUnlockedAccounts()
    }

    private func announceChanges(
        for identity: Identity, _ account: AccountID, from old: PolicyBook, to new: PolicyBook
    ) {
        let (before, after) = (old.policy(for: identity), new.policy(for: identity))
        if before != after || old.covers(identity) != new.covers(identity) {
            announce(.policyChanged, account)
        }
        let classes = [before, after].map { $0.effectiveClass(asked: nil, settings: settings) }
        if classes[0] != classes[1] { announce(.dataProtectionChanged, account) }
        if old.configuration(for: identity) != new.configuration(for: identity) {
            announce(.appConfigurationChanged, account)
        }
    }

    /// After a change of the accounts.
    func forgetPolicies() {
        inForce.withLock { $0 = PoliciesInForce($0.book, refused: $0.refused) }
    }
}
