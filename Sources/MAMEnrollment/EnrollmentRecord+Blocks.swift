// What blocks an account, and when to check again. Pure.

package import MAMModel
internal import MAMPolicy

extension EnrollmentRecord {
    /// The most severe reason to block it; nil if there is none. `name`: how messages call the
    /// account.
    package func block(_ facts: EnrollmentFacts, name: String) -> AccountBlock? {
        if stage == .signedOut {
            return AccountBlock(
                .signedOut,
                "it was deregistered; its keys are kept: mamctl account register \(name)")
        }
        if let objection = facts.objection {
            return AccountBlock(
                .launch, "\(objection); remove it: mamctl account deregister \(name)")
        }
        return offlineWipeBlock(facts, name) ?? lockOut(facts, name) ?? launchBlock
            ?? absenceBlock(facts) ?? offlineBlock(facts, name) ?? passphraseBlock(facts, name)
    }

    private func offlineWipeBlock(_ facts: EnrollmentFacts, _ name: String) -> AccountBlock? {
        offlineWipe.map { needs in
            let reason: Message =
                if needs == .needsCheckIn {
                    facts.isCovered
                        ? "no check-in for too long: mamctl account login \(name)"
                        : "no check-in for too long, and no policy covers it: once one does, mamctl"
                            + " account login \(name)"
                } else if facts.policy.pin.wipesOfflineAfter == nil {
                    "it was offline for too long: mamctl account login \(name)"
                } else {
                    "it was offline for too long: mamctl account login \(name); too many wrong"
                        + " passphrases wipe it"
                }
            return AccountBlock(.offlineWipe, reason)
        }
    }

    private func lockOut(_ facts: EnrollmentFacts, _ name: String) -> AccountBlock? {
        guard isLockedOut else { return nil }
        return AccountBlock(
            .lockedOut,
            "too many wrong passphrases (maximumPinRetries \(facts.policy.pin.maximumRetries)), or"
                + " their count is lost: mamctl account login \(name)"
        )
    }

    private var launchBlock: AccountBlock? {
        guard let worst = launch.findings.first, worst.action >= .block else { return nil }
        return AccountBlock(
            worst.subject == .clock ? .clockedOut : .launch,
            worst.reason.english.contains(worst.rule)
                ? worst.reason : "\(worst.reason) (\(worst.rule))")
    }

    private func absenceBlock(_ facts: EnrollmentFacts) -> AccountBlock? {
        guard facts.isPolicyRequired, !facts.isCovered else { return nil }
        return AccountBlock(
            .launch,
            "no policy covers it, and MAMPolicyRequired is on: mamctl policy import FILE")
    }

    private func offlineBlock(_ facts: EnrollmentFacts, _ name: String) -> AccountBlock? {
        guard let (limit, rule) = facts.policy.offlineBlock, secondsOffline(facts) >= limit else {
            return nil
        }
        guard sinceCheckIn >= limit else {
            return AccountBlock(
                .offline,
                "nobody signed in for \(limit) s (\(rule)): mamctl account refresh \(name), or"
                    + " mamctl account login \(name)")
        }
        return AccountBlock(
            .offline, "no check-in for \(limit) s (\(rule)): mamctl account check-in")
    }

    private func passphraseBlock(_ facts: EnrollmentFacts, _ name: String) -> AccountBlock? {
        let pin = facts.policy.pin
        guard pin.isRequired else { return nil }
        let reason: Message? =
            if !facts.hasPassphrase {
                "policy requires a passphrase (pinRequired)"
            } else if let limit = pin.expirySeconds, sincePassphrase >= limit {
                "its passphrase is older than policy allows (periodBeforePinReset)"
            } else if let flaw, flaw.rules == facts.pinMark {
                "its passphrase is too weak: \(flaw.reason)"
            } else { nil }
        return reason.map {
            AccountBlock(.passphrase, "\($0): mamctl account passphrase \(name)")
        }
    }

    /// Since it last had all that a check-in takes: policies, and a sign-in where policy asks for
    /// the organisation's credentials.
    func secondsOffline(_ facts: EnrollmentFacts) -> Int64 {
        facts.needsSignIn ? max(sinceCheckIn, sinceSignIn ?? 0) : sinceCheckIn
    }

    /// Seconds offline that count against the time to wipe; nil where there is none.
    func timeToWipe(_ facts: EnrollmentFacts) -> (limit: Int64, passed: Int64)? {
        facts.policy.offlineWipeSeconds.map {
            ($0, facts.policy.wipesForCredentials ? secondsOffline(facts) : sinceCheckIn)
        }
    }

    /// Seconds until the passage of time alone changes something; nil if it never does.
    package func secondsToNext(_ facts: EnrollmentFacts) -> Int64? {
        guard stage != .signedOut else { return nil }
        let pin = facts.policy.pin
        let limits: [(limit: Int64?, passed: Int64)] = [
            (secondsBetweenAttempts(facts), sinceAttempt),
            (facts.policy.offlineBlock?.seconds, secondsOffline(facts)),
            (timeToWipe(facts)?.limit, timeToWipe(facts)?.passed ?? 0),
            (pin.isRequired ? pin.expirySeconds : nil, sincePassphrase),
            (
                facts.policy.rules.gracePeriodToBlockAppsDuringOffClockHours?.seconds,
                sinceClockedOut ?? .max
            ),
        ]
        return limits.compactMap { limit, passed in
            limit.flatMap { passed < $0 ? $0 - passed : nil }
        }.min()
    }

    /// Seconds until it is blocked, and until it is wiped, without a check-in; nil if never.
    package func secondsToOfflineEnds(_ facts: EnrollmentFacts) -> (block: Int64?, wipe: Int64?) {
        guard stage != .signedOut else { return (nil, nil) }
        let wipe = timeToWipe(facts)
        // Where the time to wipe is all that there is, nobody is told it twice.
        let block = facts.policy.offlineBlock.flatMap { $0.seconds == wipe?.limit ? nil : $0 }
        return (
            block.map { max(0, $0.seconds - secondsOffline(facts)) },
            wipe.map { max(0, $0.limit - $0.passed) }
        )
    }
}
