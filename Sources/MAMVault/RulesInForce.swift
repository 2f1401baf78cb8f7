// The rules in force, which change while files are in use: settings, policy documents, and which
// accounts are allowed.

internal import MAMLocks
internal import MAMModel
package import MAMPolicy
package import MAMSettings
package import MAMSystem
internal import Synchronization

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

/// The settings and the policy documents, and the policies merged from them so far.
package final class RulesInForce: Sendable {
    /// The machine's own, as read at the start; only ``accountRules`` changes.
    package let own: Settings
    private let strictest: Guarded<Strictest>
    private let sessions = Atomic(true)
    /// The users in the setting AccountUsers.
    package let userIDs = UserIDs()
    private let policies: Guarded<Policies>
    private let accounts: Guarded<AccountRules>

    /// Passed by reference, like a ``MergedPolicy``.
    private final class Strictest: Sendable {
        let asked: FleetSettings
        let settings: Settings

        init(_ own: Settings, _ asked: FleetSettings) {
            (self.asked, settings) = (asked, asked.strictest(with: own))
        }
    }

    fileprivate struct Policies {
        var book: PolicyBook
        var refused: [RefusedDocument] = []
        var known: [AccountID: MergedPolicy] = [:]
        var ofAll: MergedPolicy?
        /// By the numbers of the documents. Most accounts have the same ones.
        var merged: [PolicyBook.Numbers: MergedPolicy] = [:]
    }

    init(_ settings: Settings, _ book: PolicyBook, asked: FleetSettings) {
        own = settings
        strictest = Guarded(Strictest(settings, asked))
        policies = Guarded(Policies(book: book))
        accounts = Guarded(settings.accountRules)
    }

    /// The machine's own, each as strict as the organisation asks at least.
    package var settings: Settings { strictest.withLock { $0 }.settings }

    package var settingsInForce: (own: Settings, settings: Settings, asked: FleetSettings) {
        let strictest = strictest.withLock { $0 }
        return (own, strictest.settings, strictest.asked)
    }

    /// Whether locked screens and sleep are told; true until that has failed.
    package var noticesSessions: Bool {
        get { sessions.load(ordering: .relaxed) }
        set { sessions.store(newValue, ordering: .relaxed) }
    }

    /// False if the same was asked before.
    package func ask(_ asked: FleetSettings) -> Bool {
        let new = Strictest(own, asked)
        let isNew = strictest.withLock { strictest in
            defer { strictest = new }
            return strictest.asked != asked
        }
        // What was merged under other settings.
        if isNew { policies.withLock { ($0.known, $0.ofAll, $0.merged) = ([:], nil, [:]) } }
        return isNew
    }

    package var book: PolicyBook { policies.withLock { $0.book } }

    /// Files of the policy directory whose current content is not in force.
    package var refused: [RefusedDocument] { policies.withLock { $0.refused } }

    /// `book`: nil for the same documents.
    package func replace(_ book: PolicyBook?, refused: [RefusedDocument]) {
        policies.withLock { policies in
            if let book { policies = Policies(book: book) }
            policies.refused = refused
        }
    }

    /// The accounts have changed, the documents have not.
    package func forgetAccounts() { policies.withLock { ($0.known, $0.ofAll) = ([:], nil) } }

    func policy(of account: AccountID, named identity: () -> Identity) -> MergedPolicy {
        policies.withLock { policies in
            if let known = policies.known[account] { return known }
            let policy = policies.policy(for: identity(), settings)
            policies.known[account] = policy
            return policy
        }
    }

    /// The most restrictive of these accounts'; of all documents without any.
    func policyOfAll(_ accounts: () -> [Identity]) -> MergedPolicy {
        if let known = policies.withLock({ $0.ofAll }) { return known }
        let accounts = accounts()
        return policies.withLock { policies in
            if let known = policies.ofAll { return known }
            let policy = MergedPolicy(
                .merge(
                    accounts.isEmpty
                        ? policies.book.documents
                        : accounts.flatMap { policies.book.documents(for: $0) }), settings)
            policies.ofAll = policy
            return policy
        }
    }

    /// Which accounts are allowed, and for which users; changes with the settings.
    package var accountRules: AccountRules { accounts.withLock { $0 } }

    /// Returns the old ones.
    func replaceAccountRules(_ new: AccountRules) -> AccountRules {
        accounts.withLock { current in
            defer { current = new }
            return current
        }
    }
}

extension RulesInForce.Policies {
    fileprivate mutating func policy(
        for identity: Identity, _ settings: Settings
    ) -> MergedPolicy {
        let numbers = book.numbers(for: identity)
        if let merged = merged[numbers] { return merged }
        let policy = MergedPolicy(book.policy(of: numbers), settings)
        merged[numbers] = policy
        return policy
    }
}

/// What is wrong with it, and what is in force instead.
package struct RefusedDocument: Sendable, Hashable {
    package let file: String
    /// One sentence.
    package let reason: String
    /// A wipe order replaced the policy. It is carried out, and the policy stays in force.
    package let isObeyed: Bool
    /// Since when, in seconds since 1970.
    package var since: Int64
    /// The previous content, which stays in force; nil if none of it does.
    package let lastGood: LastGood?

    /// The last valid version of a file.
    package struct LastGood: Sendable, Hashable {
        /// The names and versions of its documents.
        package let documents: String
        /// When it came into force, in seconds since 1970.
        package let time: Int64

        package init(documents: String, time: Int64) {
            self.documents = documents
            self.time = time
        }
    }

    package init(
        file: String, reason: String, isObeyed: Bool, since: Int64, lastGood: LastGood?
    ) {
        self.file = file
        self.reason = reason
        self.isObeyed = isObeyed
        self.since = since
        self.lastGood = lastGood
    }
}
