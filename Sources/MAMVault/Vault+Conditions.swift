// Conditional launch: what policy wants to be true of device, programs and account.

internal import MAMEnrollment
internal import MAMKeyring
package import MAMModel
package import MAMPolicy
internal import MAMSystem

extension Vault {
    /// Looks at the conditions, and blocks, wipes or warns. May take as long as the probes do.
    ///
    /// Never call this from a thread that serves the mount, or while holding a lock.
    package func checkLaunch(_ account: AccountID) {
        guard isEnrolling, isRegistered(account) else { return }
        let policy = policy(of: account)
        let clockedOut = enrollments.record(of: account)?.sinceClockedOut ?? 0
        let conditions = conditions(for: policy.rules, secondsClockedOut: clockedOut)
        let verdict = policy.launchVerdict(conditions)
        tellWarnings(verdict, account)
        if let clock = conditions.clockStatus, enrollments.note(clock, of: account) != clock {
            announce(.userStatusChanged(clock.rawValue), account)
        }
        happen(.launch(verdict, conditions.clockStatus), to: account, as: .policy)
    }

    /// What these documents alone would find here now. May take as long as the probes do.
    package func launchFindings(under documents: [PolicyDocument]) -> [LaunchFinding] {
        let policy = EffectivePolicy.merge(
            documents.filter { $0.kind == .protection && $0.isAssigned })
        return policy.launchVerdict(conditions(for: policy.rules)).findings
    }

    private func conditions(
        for rules: PolicyRules, secondsClockedOut: Int64 = 0
    ) -> LaunchConditions {
        var conditions = enrollments.probes.conditions(
            for: rules, stated: enrollments.statedThreat)
        // The record counts since when: no clock has a say in it.
        (conditions.clockedOutSince, conditions.now) = (0, secondsClockedOut)
        return conditions
    }

    package func checkLaunchOfAll() {
        for account in keyring.accounts { checkLaunch(account) }
    }

    /// Each once, until it ends and comes again.
    private func tellWarnings(_ verdict: LaunchVerdict, _ account: AccountID) {
        let known = enrollments.record(of: account)?.launch.findings ?? []
        for finding in verdict.findings where finding.action == .warn && !known.contains(finding) {
            log.warning("\(identity(of: account)): \(finding.reason) (\(finding.rule))")
            announce(.launchWarning(finding.reason), account)
        }
    }

    /// The same for all accounts of the machine: one probe tells it.
    package var userStatus: ClockStatus { enrollments.probes.clockStatus }

    /// `IntuneMAMComplianceStatus`.
    package enum Compliance: Int, Sendable, CaseIterable {
        case compliant, notCompliant, serviceFailure, networkFailure, interactionRequired
        case userCanceled
    }

    /// Tries to make the account compliant: a check-in, and a look at the conditions.
    package func remediate(_ account: AccountID) -> (Compliance, reason: String?) {
        let outcome = checkIn()
        let result: (Compliance, reason: String?)
        switch outcome {
        case .networkFailure(let reason): result = (.networkFailure, reason)
        case .failure(let reason), .unreadable(let reason), .notUnderstood(let reason),
            .timedOut(let reason):
            result = (.serviceFailure, reason)
        case .ok, .unchanged: result = compliance(of: account)
        }
        announce(.complianceChecked(result.0.rawValue), account)
        return result
    }

    private func compliance(of account: AccountID) -> (Compliance, reason: String?) {
        if let block = block(of: account) {
            let isForPerson = ![.launch, .clockedOut].contains(block.kind)
            return (isForPerson ? .interactionRequired : .notCompliant, block.reason)
        }
        guard policies.covers(identity(of: account)) else {
            return (.notCompliant, "no policy covers it")
        }
        return enrollments.probes.isCompliant == false
            ? (.notCompliant, "the Compliance probe says so") : (.compliant, nil)
    }

    /// What stands for the threat level where no probe tells it; nil: nothing does.
    package func setThreatLevel(_ level: ThreatLevel?) {
        enrollments.statedThreat = level
        log.warning("the device's threat level is \(level?.rawValue ?? "unknown") from now on")
        checkLaunchOfAll()
    }
}
