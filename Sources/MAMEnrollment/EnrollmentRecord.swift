// What is remembered of one account's enrolment.

package import MAMPolicy
package import MAMSettings

/// Counts are seconds that have passed (``ClockReading``), not dates.
package struct EnrollmentRecord: Sendable, Equatable {
    package enum Stage: String, Sendable, CaseIterable {
        /// On the list, with keys; no policy covers it.
        case registered
        /// A policy covers it.
        case enrolled
        /// Taken from the list without a wipe: its keys stay, sealed.
        case signedOut = "signed-out"
    }

    /// The second chance before an offline wipe: what it still takes.
    package enum OfflineWipe: String, Sendable, CaseIterable {
        case needsCheckIn = "needs-check-in"
        case needsPassphrase = "needs-passphrase"
    }

    package var stage = Stage.registered
    package var code = StatusCode.noPolicy
    package var reading: ClockReading
    package var sinceCheckIn: Int64 = 0
    /// Since the last try of one.
    package var sinceAttempt: Int64 = 0
    /// Tries in a row that the network failed.
    package var networkFailures = 0
    package var offlineWipe: OfflineWipe?
    /// How many passphrases were wrong before the first one of the second chance; nil before that.
    package var wrongBefore: Int?
    /// Since the passphrase was set.
    package var sincePassphrase: Int64 = 0
    /// What the passphrase lacked, and of which rules.
    package var flaw: Flaw?
    /// Too many wrong passphrases.
    package var isLockedOut = false
    /// Since the account was first seen clocked out; nil while it is not.
    package var sinceClockedOut: Int64?
    /// Tells the policy of the last check-in from another one.
    package var policyMark: String?
    /// Of the last look at the conditions; not kept, for they are looked at anew at each start.
    package var launch = LaunchVerdict.passed

    package struct Flaw: Sendable, Equatable {
        package let reason: String
        /// Judged by other rules it may be none.
        package let rules: String

        package init(reason: String, rules: String) {
            self.reason = reason
            self.rules = rules
        }
    }

    /// Of an account that is registered now.
    package init(at reading: ClockReading) { self.reading = reading }

    /// What a damaged record stands for: locked out, so that it takes a check-in and the passphrase
    /// to go on. How long it was offline is not known, and no time that is not known leads to a
    /// wipe.
    package static func strictest(at reading: ClockReading) -> EnrollmentRecord {
        var record = EnrollmentRecord(at: reading)
        (record.sinceAttempt, record.sincePassphrase) = (.max, .max)
        record.isLockedOut = true
        return record
    }
}

/// What policy, settings and keyring say of the account now.
package struct EnrollmentFacts: Sendable {
    package let policy: EffectivePolicy
    package let isCovered: Bool
    /// There is any document at all: an empty directory, which may be a disk that is not mounted,
    /// says nothing of anybody.
    package let isPolicyThere: Bool
    /// Why the settings do not allow it; nil if they do.
    package let objection: String?
    package let hasPassphrase: Bool
    package let checkInSeconds: Int64
    package let retrySeconds: Int64

    package init(
        policy: EffectivePolicy, isCovered: Bool, isPolicyThere: Bool = true,
        objection: String? = nil, hasPassphrase: Bool, settings: Settings
    ) {
        self.policy = policy
        self.isCovered = isCovered
        self.isPolicyThere = isPolicyThere
        self.objection = objection
        self.hasPassphrase = hasPassphrase
        checkInSeconds = Int64(settings.checkInSeconds)
        retrySeconds = Int64(settings.enrollmentRetrySeconds)
    }

    /// Nil for never.
    var offlineBlockSeconds: Int64? { Self.limit(policy.rules.periodOfflineBeforeAccessCheck) }
    var offlineWipeSeconds: Int64? { Self.limit(policy.rules.periodOfflineBeforeWipeIsEnforced) }

    /// After so long without use the passphrase is asked for anew; nil for never.
    package var recheckSeconds: Int64? {
        guard hasPassphrase, policy.pin.isRequired || policy.pin.requiresCredentials else {
            return nil
        }
        return Self.limit(policy.rules.periodOnlineBeforeAccessCheck)
    }

    private static func limit(_ duration: PolicyDuration?) -> Int64? {
        duration.flatMap { $0.seconds > 0 ? $0.seconds : nil }
    }

    /// Tells the rules that a passphrase was judged by.
    package var pinMark: String {
        let pin = policy.pin
        return "\(pin.minimumLength) \(pin.characters.rawValue) \(pin.blocksSimple)"
    }
}
