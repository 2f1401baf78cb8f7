import MAMEnrollment
import MAMModel
import MAMPolicy
import MAMSettings
import MAMSystem
import Testing

let hour: Int64 = 3600
let day: Int64 = 86_400

/// A policy as a document would give it.
func policy(_ change: (inout PolicyRules) -> Void) -> EffectivePolicy {
    var document = PolicyDocument()
    change(&document.rules)
    return .merge([document])
}

/// What signed documents give: one that may only close, and one that order keys have signed, too.
func signed(
    closing: (inout PolicyRules) -> Void, wiping: (inout PolicyRules) -> Void = { _ in }
) -> EffectivePolicy {
    var documents = [PolicyDocument(), PolicyDocument()]
    closing(&documents[0].rules)
    wiping(&documents[1].rules)
    documents[0].noteSigned(mayWipe: false)
    documents[1].noteSigned(mayWipe: true)
    return .merge(documents)
}

/// The portal's times, and a PIN that is allowed five wrong tries.
let portal = policy { rules in
    rules.periodOfflineBeforeAccessCheck = PolicyDuration(seconds: day)
    rules.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: 90 * day)
    rules.periodOnlineBeforeAccessCheck = PolicyDuration(seconds: 1800)
    rules.pinRequired = true
    rules.maximumPinRetries = 5
}

/// One account's record, and a world that it can be put through.
struct World {
    var record: EnrollmentRecord
    var moment = Moment(wallSeconds: 1_000_000, secondsSinceBoot: 500)
    var boot = "first"
    var policy = portal
    var isCovered = true
    var isAllowed = true
    var hasPassphrase = true

    private let settings: Settings

    init(settings: Settings = Settings()) {
        self.settings = settings
        record = EnrollmentRecord(at: ClockReading(moment, boot: boot))
        _ = apply(.registered)
    }

    var facts: EnrollmentFacts {
        EnrollmentFacts(
            policy: policy, isCovered: isCovered,
            objection: isAllowed ? nil : "AllowedAccounts does not name it",
            hasPassphrase: hasPassphrase, settings: settings)
    }

    mutating func apply(_ input: EnrollmentInput) -> [EnrollmentAction] {
        record.step(input, facts, at: moment, boot: boot)
    }

    /// Both clocks go on; returns what became due.
    mutating func pass(_ seconds: Int64) -> [EnrollmentAction] {
        moment.wallSeconds += seconds
        moment.secondsSinceBoot += seconds
        return look()
    }

    mutating func look() -> [EnrollmentAction] {
        apply(.time) + record.due(facts)
    }

    mutating func checkIn(_ outcome: CheckInOutcome = .unchanged, mark: String = "same")
        -> [EnrollmentAction]
    {
        apply(.checkIn(outcome, mark: mark))
    }

    /// A check of the conditions that begins and ends now.
    mutating func check(_ verdict: LaunchVerdict, _ clock: ClockStatus? = nil)
        -> [EnrollmentAction]
    {
        apply(.launch(verdict, clock, check: record.launchCheck + 1))
    }

    var block: AccountBlock.Kind? { record.block(facts, name: "ann")?.kind }

    /// What a restart of the daemon keeps.
    mutating func restart() throws {
        record = try #require(EnrollmentRecord(record.json))
    }
}
