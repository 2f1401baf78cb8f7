// The persistent state of one account's enrolment.

package import MAMPolicy
package import MAMSettings

/// Counts are elapsed seconds (``ClockReading``), not dates.
package struct EnrollmentRecord: Sendable, Equatable {
    package enum Stage: String, Sendable, CaseIterable {
        /// Registered, with keys; no policy covers it.
        case registered
        /// A policy covers it.
        case enrolled
        /// Deregistered without a wipe: its keys stay, sealed.
        case signedOut = "signed-out"
    }

    /// The second chance before an offline wipe: what it still requires.
    package enum OfflineWipe: String, Sendable, CaseIterable {
        case needsCheckIn = "needs-check-in"
        case needsPassphrase = "needs-passphrase"
    }

    package var stage = Stage.registered
    package var code = StatusCode.noPolicy
    package var reading: ClockReading
    package var sinceCheckIn: Int64 = 0
    /// Since the last attempt at a check-in.
    package var sinceAttempt: Int64 = 0
    /// Consecutive attempts that failed for lack of a network.
    package var networkFailures = 0
    package var offlineWipe: OfflineWipe?
    /// The number of wrong passphrases when the second chance began; nil before.
    package var wrongBefore: Int?
    /// Since the passphrase was set.
    package var sincePassphrase: Int64 = 0
    /// What was wrong with the passphrase, and under which rules.
    package var flaw: Flaw?
    /// Too many wrong passphrases.
    package var isLockedOut = false
    /// Since the account was first seen off the clock; nil while it is not.
    package var sinceClockedOut: Int64?
    /// Identifies the policy of the last check-in.
    package var policyMark: String?
    /// Since an issuer last proved whose the account is; nil if none has, and none needed to.
    package var sinceSignIn: Int64?
    package var person: SignedInPerson?
    /// The last result of the conditions; not stored, because they are evaluated at each start.
    package var launch = LaunchVerdict.passed
    /// The number of the check that gave it.
    package var launchCheck: UInt64 = 0

    package struct Flaw: Sendable, Equatable {
        package let reason: String
        /// Under other rules there may be no flaw.
        package let rules: String

        package init(reason: String, rules: String) {
            self.reason = reason
            self.rules = rules
        }
    }

    /// For an account that is registered now.
    package init(at reading: ClockReading) { self.reading = reading }

    /// Replaces a damaged record: locked out, so that a check-in and the passphrase are needed to
    /// continue. The time offline is unknown, and an unknown time never leads to a wipe.
    package static func strictest(at reading: ClockReading) -> EnrollmentRecord {
        var record = EnrollmentRecord(at: reading)
        (record.sinceAttempt, record.sincePassphrase) = (.max, .max)
        record.isLockedOut = true
        return record
    }
}

/// Who signed in to an account.
package struct SignedInPerson: Sendable, Equatable {
    package let issuer: String
    /// The issuer's own name for the person.
    package let subject: String
    package let nonce: String?
    /// The person's groups; nil if the issuer did not tell.
    package let groups: [String]?

    package init(issuer: String, subject: String, nonce: String?, groups: [String]?) {
        self.issuer = issuer
        self.subject = subject
        self.nonce = nonce
        self.groups = groups
    }

    /// A token that says nothing of groups, which a person in very many gets, takes nothing back.
    func keepingGroups(of former: SignedInPerson?) -> SignedInPerson {
        guard groups == nil, let former, (former.issuer, former.subject) == (issuer, subject)
        else { return self }
        return SignedInPerson(
            issuer: issuer, subject: subject, nonce: nonce, groups: former.groups)
    }
}

/// An account's current policy, settings and keyring state.
package struct EnrollmentFacts: Sendable {
    package let policy: EffectivePolicy
    package let isCovered: Bool
    /// True if it is closed while no policy covers it.
    package let isPolicyRequired: Bool
    /// Why the settings forbid it; nil if they do not.
    package let objection: String?
    package let hasPassphrase: Bool
    package let checkInSeconds: Int64
    package let retrySeconds: Int64
    /// Whether a check-in takes the word of an issuer, too.
    package let needsSignIn: Bool

    package init(
        policy: EffectivePolicy, isCovered: Bool, objection: String? = nil, hasPassphrase: Bool,
        settings: Settings
    ) {
        self.policy = policy
        self.isCovered = isCovered
        isPolicyRequired = settings.policyRequired
        self.objection = objection
        self.hasPassphrase = hasPassphrase
        checkInSeconds = Int64(settings.checkInSeconds)
        retrySeconds = Int64(settings.enrollmentRetrySeconds)
        needsSignIn = settings.signIn != nil && policy.pin.requiresCredentials
    }

    /// After this many idle seconds the passphrase is required again; nil for never.
    package var recheckSeconds: Int64? {
        guard hasPassphrase, policy.pin.isRequired || policy.pin.requiresCredentials else {
            return nil
        }
        return policy.rules.periodOnlineBeforeAccessCheck.flatMap {
            $0.seconds > 0 ? $0.seconds : nil
        }
    }

    /// Identifies the rules that a passphrase was checked against.
    var pinMark: String { policy.pin.mark }
}
