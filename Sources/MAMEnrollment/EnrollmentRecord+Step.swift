// The state machine: maps events of an account to actions. Pure.

package import MAMModel
package import MAMPolicy
package import MAMSystem

/// An event.
package enum EnrollmentInput: Sendable {
    /// Time passes.
    case time
    /// The account was registered, or registered again.
    case registered
    /// The policy source was read, or failed to be.
    case checkIn(CheckInOutcome, mark: String)
    /// The conditions were evaluated; nil clock status: not asked.
    /// `check`: its number, from when it began.
    case launch(LaunchVerdict, ClockStatus?, check: UInt64)
    /// The right passphrase was given; `flaw`: what policy finds wrong with it.
    case opened(flaw: String?)
    /// The right recovery passphrase was given, which says nothing of the others.
    case recovered
    /// A wrong one was given, and how many that makes.
    case wrongPassphrase(count: Int)
    case newPassphrase
    case signedOut
    /// An issuer has proved whose it is, so many seconds ago.
    case signedIn(SignedInPerson, age: Int64)
}

/// The result of a check-in.
package enum CheckInOutcome: Sendable, Equatable {
    /// Everything was read; `unchanged`: with the same documents as before.
    case ok
    case unchanged
    /// The directory cannot be read.
    case unreadable(String)
    /// A document is invalid.
    case notUnderstood(String)
    /// The CheckIn hook timed out.
    case timedOut(String)
    /// The CheckIn hook reports that the network is down.
    case networkFailure(String)
    /// The hook failed otherwise.
    case failure(String)

    package var isSuccess: Bool { self == .ok || self == .unchanged }

    package var reason: String? {
        switch self {
        case .ok, .unchanged: nil
        case .unreadable(let reason), .notUnderstood(let reason), .timedOut(let reason),
            .networkFailure(let reason), .failure(let reason):
            reason
        }
    }
}

/// What the CheckIn hook has said of the documents that the policy source has now.
package enum HookAnswer: Sendable {
    case notAsked
    /// It is asked next.
    case awaited
    case no
    /// Or there is no hook.
    case yes
}

/// Why an account is wiped, for the log and the hook.
package struct WipeReason: Sendable, Equatable {
    package enum Trigger: String, Sendable, CaseIterable {
        case command, deregister, passphrase, offline, launch, administrator
        /// Continues a wipe that was interrupted.
        case resumed
    }

    package let trigger: Trigger
    package let text: String

    package init(_ trigger: Trigger, _ text: String) {
        self.trigger = trigger
        self.text = text
    }
}

package enum EnrollmentAction: Sendable, Equatable {
    case checkIn
    case wipe(WipeReason)
    case report(StatusCode, String?)
    /// Once until its condition is met.
    case warn(LaunchFinding)
    /// A program for the account was started when no policy covered it.
    case restart
}

extension EnrollmentRecord {
    /// Advances the time since the last step, then handles the input.
    package mutating func step(
        _ input: EnrollmentInput, _ facts: EnrollmentFacts, at moment: Moment,
        boot: String = ClockReading.currentBoot
    ) -> [EnrollmentAction] {
        pass(reading.advance(to: moment, boot: boot))
        // Registered before a sign-in was needed, or with keys that were imported, it has a whole
        // period, as has one whose policy begins to ask.
        if !facts.needsSignIn { sinceSignIn = nil } else if sinceSignIn == nil { sinceSignIn = 0 }
        switch input {
        case .time: return []
        case .registered: return register(facts)
        case .checkIn(let outcome, let mark): return checkIn(outcome, mark, facts)
        case .launch(let verdict, let clock, let check): return judge(verdict, clock, check)
        case .opened(let flaw):
            self.flaw = flaw.map { Flaw(reason: $0, rules: facts.pinMark) }
            return open()
        case .recovered: return open()
        case .wrongPassphrase(let count): return refuse(count, facts)
        case .newPassphrase:
            (sincePassphrase, flaw) = (0, nil)
            return []
        case .signedOut:
            (stage, code, offlineWipe) = (.signedOut, .unenrolled, nil)
            return [.report(.unenrolled, nil)]
        case .signedIn(let person, let age):
            (self.person, sinceSignIn) = (person.keepingGroups(of: self.person), max(0, age))
            return []
        }
    }

    private mutating func pass(_ seconds: Int64) {
        sinceCheckIn.add(saturating: seconds)
        sinceAttempt.add(saturating: seconds)
        sincePassphrase.add(saturating: seconds)
        sinceClockedOut?.add(saturating: seconds)
        sinceSignIn?.add(saturating: seconds)
    }

    /// The actions that are due by time alone.
    package mutating func due(_ facts: EnrollmentFacts) -> [EnrollmentAction] {
        guard stage != .signedOut else { return [] }
        if offlineWipe == nil, let (limit, passed) = timeToWipe(facts), passed >= limit {
            offlineWipe = .needsCheckIn
        }
        return sinceAttempt >= secondsBetweenAttempts(facts) ? [.checkIn] : []
    }

    /// A minute, two, four, … an hour after network failures; else as in the settings. Never more
    /// than a third of an offline period: one attempt may fail, and another comes before it ends.
    func secondsBetweenAttempts(_ facts: EnrollmentFacts) -> Int64 {
        let usual: Int64 =
            if networkFailures > 0 {
                min(3600, 60 << Int64(min(networkFailures - 1, 6)))
            } else if stage == .enrolled && code.didSucceed {
                facts.checkInSeconds
            } else { facts.retrySeconds }
        let period = facts.policy.offlineBlock?.seconds
        return min(usual, period.map { max(Self.leastSeconds, $0 / 3) } ?? usual)
    }

    /// What a policy makes of it at most: each attempt may run a program that asks a server.
    private static let leastSeconds: Int64 = 10

    private mutating func register(_ facts: EnrollmentFacts) -> [EnrollmentAction] {
        (stage, isLockedOut, offlineWipe) = (.registered, false, nil)
        (sinceCheckIn, sinceAttempt, networkFailures) = (0, 0, 0)
        return enroll(facts, isNew: true)
    }

    private mutating func checkIn(
        _ outcome: CheckInOutcome, _ mark: String, _ facts: EnrollmentFacts
    ) -> [EnrollmentAction] {
        guard stage != .signedOut else { return [] }
        sinceAttempt = 0
        guard outcome.isSuccess else { return fail(outcome) }
        (sinceCheckIn, networkFailures) = (0, 0)
        // A sign-in that policy asks for must come first. Withdrawing a policy neither wipes an
        // account nor opens it.
        let isComplete = facts.policy.offlineWipeSeconds.map { secondsOffline(facts) < $0 } ?? true
        if offlineWipe == .needsCheckIn, facts.isCovered, isComplete {
            (offlineWipe, wrongBefore) = (facts.hasPassphrase ? .needsPassphrase : nil, nil)
        }
        defer { policyMark = mark }
        return enroll(facts, isNew: policyMark != mark)
    }

    private mutating func enroll(_ facts: EnrollmentFacts, isNew: Bool) -> [EnrollmentAction] {
        let isFirst = stage != .enrolled
        let isNew = isNew || isFirst
        stage = facts.isCovered ? .enrolled : .registered
        code =
            facts.objection != nil
            ? .notAllowed : !facts.isCovered ? .noPolicy : isNew ? .newPolicy : .policyUnchanged
        let restarts = isFirst && code == .newPolicy
        return [.report(code, nil)] + (restarts ? [.restart] : [])
    }

    private mutating func fail(_ outcome: CheckInOutcome) -> [EnrollmentAction] {
        switch outcome {
        // A damaged record may have any count.
        case .networkFailure: networkFailures += networkFailures < .max ? 1 : 0
        default: networkFailures = 0
        }
        code =
            switch outcome {
            case .unreadable: .policyUnreachable
            case .notUnderstood: .notUnderstood
            case .timedOut: .timeout
            default: stage == .enrolled ? .policyUnreachable : .enrollmentUnreachable
            }
        return [.report(code, outcome.reason)]
    }

    private mutating func judge(
        _ verdict: LaunchVerdict, _ clock: ClockStatus?, _ check: UInt64
    ) -> [EnrollmentAction] {
        // Probes are slow: one that began later, perhaps under another policy, may end first.
        guard check > launchCheck else { return [] }
        let isOut = clock == .clockedOut || clock == .clockedOutStale
        sinceClockedOut = isOut ? sinceClockedOut ?? 0 : nil
        let known = launch.findings
        (launch, launchCheck) = (verdict, check)
        let warnings = verdict.findings
            .filter { $0.action == .warn && !known.contains($0) }
            .map { EnrollmentAction.warn($0) }
        guard verdict.action == .wipe, let worst = verdict.findings.first else { return warnings }
        return warnings + [.wipe(WipeReason(.launch, worst.reason.english))]
    }

    private mutating func open() -> [EnrollmentAction] {
        isLockedOut = false
        if offlineWipe == .needsPassphrase { offlineWipe = nil }
        return []
    }

    /// The consequence of further wrong passphrases after this many; nil if there is none.
    package func outlook(after count: Int, _ pin: PinRules) -> Message? {
        if offlineWipe == .needsPassphrase, let limit = pin.wipesOfflineAfter {
            return Self.outlook(limit - (count - (wrongBefore ?? count)), wipes: true)
        }
        guard pin.isRequired else { return nil }
        if let limit = pin.wipesAfter, limit == pin.maximumRetries || count >= pin.maximumRetries {
            return Self.outlook(limit - count, wipes: true)
        }
        return Self.outlook(pin.maximumRetries - count, wipes: false)
    }

    private static func outlook(_ left: Int, wipes: Bool) -> Message? {
        switch (left, wipes) {
        case (...0, _): nil
        case (1, true): "the next wrong passphrase destroys the account's keys and files"
        case (1, false): "the next wrong passphrase closes the account until mamctl account login"
        case (_, true):
            Message(
                left, one: "\(left) more wrong passphrase destroys the account's keys and files",
                many: "\(left) more wrong passphrases destroy the account's keys and files")
        case (_, false):
            Message(
                left,
                one: "\(left) more wrong passphrase closes the account until mamctl account login",
                many: "\(left) more wrong passphrases close the account until mamctl account login")
        }
    }

    /// What one more wrong passphrase after this many leads to; nil: nothing that is not so
    /// already. Where a wipe waits for a check-in, it is that of a login, which checks in first.
    package func consequence(
        ofWrongAfter count: Int, _ facts: EnrollmentFacts
    ) -> GuessConsequence? {
        var next = self
        if offlineWipe == .needsCheckIn {
            (next.offlineWipe, next.wrongBefore) = (.needsPassphrase, nil)
        }
        if !next.refuse(count + 1, facts).isEmpty { return .wiped }
        return next.isLockedOut && !isLockedOut ? .lockedOut : nil
    }

    /// Only a policy that requires a PIN limits wrong ones; after an offline timeout a default
    /// limit applies.
    private mutating func refuse(_ count: Int, _ facts: EnrollmentFacts) -> [EnrollmentAction] {
        let pin = facts.policy.pin
        if offlineWipe == .needsPassphrase {
            // Wrong ones from before do not count against the second chance.
            let before = wrongBefore ?? max(0, count - 1)
            wrongBefore = before
            if let limit = pin.wipesOfflineAfter, count - before >= limit {
                return [
                    .wipe(
                        WipeReason(
                            .offline,
                            "it was offline for too long, and its passphrase was wrong"
                                + " \(counted(count - before, "time"))"
                        ))
                ]
            }
        }
        guard count >= pin.maximumRetries, pin.isRequired else { return [] }
        // Even if it is to be wiped: if the wipe fails, nobody may try further passphrases.
        isLockedOut = true
        guard let limit = pin.wipesAfter, count >= limit else { return [] }
        let times = counted(count, "time")
        return [.wipe(WipeReason(.passphrase, "its passphrase was wrong \(times)"))]
    }
}
