// The launch conditions of one policy.

internal import MAMModel

extension EffectivePolicy {
    /// Evaluates everything that the policy requires of the device, the programs and the account.
    /// What the documents that may wipe do not demand alone blocks.
    package func launchVerdict(_ conditions: LaunchConditions) -> LaunchVerdict {
        let wipes = wiping.findings(conditions).filter { $0.action == .wipe }
        let told = Set(wipes.map(\.rule))
        let others = findings(conditions).filter { !told.contains($0.rule) }
        return LaunchVerdict(wipes + others.map(\.closing))
    }

    private func findings(_ conditions: LaunchConditions) -> [LaunchFinding] {
        let findings =
            versionFindings(conditions)
            + [
                deviceModelFinding(conditions), complianceFinding(conditions),
                threatFinding(conditions), authenticationFinding(conditions),
                clockFinding(conditions),
            ].compactMap(\.self)
        return findings.map { conditions.guessed.contains($0.subject) ? $0.onGuess : $0 }
    }

    private func deviceModelFinding(_ conditions: LaunchConditions) -> LaunchFinding? {
        guard let list = rules.allowedIosDeviceModels, !list.isEmpty else { return nil }
        let allowed = semicolonNames(list).map { $0.lowercased() }
        let model = conditions.deviceModel
        return finding(
            model.map { allowed.contains(trimmed($0[...]).lowercased()) }, .deviceModel,
            "allowedIosDeviceModels", rules.appActionIfIosDeviceModelNotAllowed,
            "the device model \(model ?? "") is not on the allow list")
    }

    private func complianceFinding(_ conditions: LaunchConditions) -> LaunchFinding? {
        guard rules.deviceComplianceRequired == true else { return nil }
        return finding(
            conditions.isCompliant, .compliance, "deviceComplianceRequired",
            rules.appActionIfDeviceComplianceRequired, "the device is not compliant")
    }

    /// A threat never leads to a mere warning.
    private func threatFinding(_ conditions: LaunchConditions) -> LaunchFinding? {
        guard let highest = rules.maximumAllowedDeviceThreatLevel, highest != .notConfigured else {
            return nil
        }
        let known = conditions.threatLevel.flatMap { $0 == .notConfigured ? nil : $0 }
        let action = rules.mobileThreatDefenseRemediationAction
        return finding(
            known.map { $0.isAtMost(highest) }, .threatLevel, "maximumAllowedDeviceThreatLevel",
            action == .wipe ? .wipe : .block,
            "the device's threat level is \(known?.rawValue ?? ""), above \(highest.rawValue)")
    }

    private func authenticationFinding(_ conditions: LaunchConditions) -> LaunchFinding? {
        guard let action = rules.appActionIfUnableToAuthenticateUser else { return nil }
        return finding(
            conditions.canAuthenticate ?? true, .authentication,
            "appActionIfUnableToAuthenticateUser", action, "the account cannot be authenticated")
    }

    private func clockFinding(_ conditions: LaunchConditions) -> LaunchFinding? {
        guard let action = rules.appActionIfAccountIsClockedOut else { return nil }
        let isAtWork: Bool? =
            switch conditions.clockStatus {
            case nil, .unknown: nil
            case .notConfigured, .clockedIn, .clockedInStale: true
            case .clockedOut, .clockedOutStale: isInGrace(conditions)
            }
        return finding(
            isAtWork, .clock, "appActionIfAccountIsClockedOut", action, "the account is clocked out"
        )
    }

    /// A clock that was set back ends the grace period, so setting it back gains no time.
    private func isInGrace(_ conditions: LaunchConditions) -> Bool {
        guard let grace = rules.gracePeriodToBlockAppsDuringOffClockHours?.seconds,
            let since = conditions.clockedOutSince, since <= conditions.now
        else { return false }
        let (elapsed, overflow) = conditions.now.subtractingReportingOverflow(since)
        return !overflow && elapsed < grace
    }
}

/// Nil if the condition is met.
func finding(
    _ isMet: Bool?, _ subject: LaunchSubject, _ rule: String, _ action: RemediationAction?,
    _ reason: Message
) -> LaunchFinding? {
    let wanted = (action ?? .byDefault).atLaunch
    guard let isMet else {
        return LaunchFinding(
            action: min(wanted, .block), subject: subject, rule: rule,
            reason: subject.source.map {
                "\(rule) cannot be evaluated: its input is unknown; provide it with \($0)"
            } ?? "\(rule) cannot be evaluated: its input is unknown")
    }
    return isMet
        ? nil : LaunchFinding(action: wanted, subject: subject, rule: rule, reason: reason)
}

extension LaunchFinding {
    /// For a value that was guessed rather than reported by a probe.
    fileprivate var onGuess: LaunchFinding {
        LaunchFinding(
            action: min(action, .block), subject: subject, rule: rule,
            reason: subject.source.map {
                "\(reason); if policy means something else, set it with \($0)"
            } ?? reason)
    }

    /// Of a document that may not wipe.
    fileprivate var closing: LaunchFinding {
        LaunchFinding(action: min(action, .block), subject: subject, rule: rule, reason: reason)
    }
}

extension RemediationAction {
    fileprivate var atLaunch: LaunchAction {
        switch self {
        case .warn: .warn
        case .block, .blockWhenSettingIsSupported: .block
        case .wipe: .wipe
        }
    }
}

extension ThreatLevel {
    /// The members are ordered from the highest level to the lowest.
    fileprivate func isAtMost(_ highest: ThreatLevel) -> Bool { place >= highest.place }
}
