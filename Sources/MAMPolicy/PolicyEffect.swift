// What a policy closes that the one before it did not, as far as no probe is asked.

internal import MAMModel

/// One consequence for the accounts that a policy covers.
package struct PolicyEffect: Sendable, Hashable {
    package let kind: Kind
    /// The policy property, by its name in Graph.
    package let rule: String
    /// One sentence.
    package let reason: String

    package enum Kind: String, Sendable, CaseIterable {
        /// Files open for contained programs alone.
        case containment
        /// A condition blocks, unless a probe says otherwise.
        case condition
        /// Accounts without a passphrase, or with one that is too weak, are closed.
        case passphrase
        /// Accounts are closed after some time.
        case absence
        case warning
    }

    /// Whether it takes files from everybody whom the policy covers.
    package var isForAll: Bool { kind == .containment || kind == .condition }
}

extension EffectivePolicy {
    /// `version`: the product's on the machine, which counts where no probe gives another.
    package func effects(
        since former: EffectivePolicy, version: String
    ) -> [PolicyEffect] {
        var effects: [PolicyEffect] = []
        if isForContainedAlone, !former.isForContainedAlone { effects.append(.containment(self)) }
        effects += newFindings(since: former, .unprobed(version: version)).map { PolicyEffect($0) }
        if pin.isRequired, !former.pin.isRequired {
            effects.append(.passphrase)
        } else if pin.asksAnew(since: former.pin) {
            effects.append(.otherPassphrases)
        }
        return effects + [absence(former)].compactMap(\.self)
    }

    /// Whether files under it are only for contained programs, as the setting `Containment` has it
    /// unless somebody changed it.
    package var isForContainedAlone: Bool { keepsData && isFromTenant }

    private func newFindings(
        since former: EffectivePolicy, _ conditions: LaunchConditions
    ) -> [LaunchFinding] {
        let known = former.launchVerdict(conditions).findings
        return launchVerdict(conditions).findings.filter { finding in
            let wasSo = known.contains { $0.rule == finding.rule && $0.action >= finding.action }
            // A machine may meet the former limit, and not this one.
            return !wasSo
                || (finding.subject.ownFact != nil
                    && RuleField.shown(finding.rule, in: rules)
                        != RuleField.shown(finding.rule, in: former.rules))
        }
    }

    private func absence(_ former: EffectivePolicy) -> PolicyEffect? {
        guard let (seconds, rule) = offlineBlock else { return nil }
        if let old = former.offlineBlock, old.seconds <= seconds { return nil }
        return PolicyEffect(
            kind: .absence, rule: rule,
            reason: "accounts are closed after \(PolicyDuration(seconds: seconds).text) without a"
                + " check-in (\(rule))")
    }
}

extension PolicyEffect {
    /// Also what `policy import` says.
    package static let containmentReason =
        "files of the accounts that it covers open for contained programs alone;"
        + " 'mamctl run --contained -- COMMAND' starts one: setting Containment, mamctl(1)"

    fileprivate static func containment(_ policy: EffectivePolicy) -> PolicyEffect {
        PolicyEffect(
            kind: .containment,
            rule: policy.sendsToAll ? "saveAsBlocked" : "allowedOutboundDataTransferDestinations",
            reason: containmentReason)
    }

    fileprivate static let passphrase = PolicyEffect(
        kind: .passphrase, rule: "pinRequired",
        reason: "accounts without a passphrase are closed until they have one, and others by the"
            + " next unlock if theirs is too weak (pinRequired)")

    fileprivate static let otherPassphrases = PolicyEffect(
        kind: .passphrase, rule: "pinRequired",
        reason: "the next unlock checks passphrases against other rules, and closes accounts whose"
            + " passphrase is too weak")

    fileprivate init(_ finding: LaunchFinding) {
        self.init(
            kind: finding.action == .warn ? .warning : .condition, rule: finding.rule,
            reason: finding.reasonWithoutProbe)
    }
}

extension LaunchFinding {
    /// Of a document that is not in force yet; also what `policy import` says.
    package var meaning: String { "here it means to \(action.rawValue): \(reason.english)" }

    fileprivate var reasonWithoutProbe: String {
        guard let own = subject.ownFact, let source = subject.source else {
            return "where no probe says otherwise it means to \(action.rawValue):"
                + " \(reason.english)"
        }
        return
            "\(rule) is compared with what no machine reports, \(own) or \(source.english): it may"
            + " \(action.rawValue)"
    }
}

extension LaunchSubject {
    /// What a machine compares without a probe, and reports to nobody.
    fileprivate var ownFact: String? {
        switch self {
        case .osVersion: "VERSION_ID of its /etc/os-release"
        case .deviceModel: "its firmware's name for the model"
        default: nil
        }
    }
}

extension PinRules {
    /// Whether a passphrase that met the former rules is checked again at the next unlock.
    package func asksAnew(since former: PinRules) -> Bool {
        isRequired && (!former.isRequired || mark != former.mark)
    }

    /// Identifies the rules that a passphrase was checked against.
    package var mark: String {
        "\(minimumLength) \(characters.rawValue) \(blocksSimple)"
            + (longLength.map { " \($0)" } ?? "")
    }

    /// What to do about passphrases that do not withstand guessing for long.
    package static func guessable(seconds: Int) -> String {
        "offline guessing finds the weakest passphrase that it allows within \(seconds) s;"
            + " require ten digits or more, or a sealed device secret: mamd(8), CREDENTIALS"
    }
}

extension LaunchConditions {
    /// What a machine knows without any probe and reports; ``LaunchSubject/ownFact`` stays unknown.
    package static func unprobed(version: String) -> LaunchConditions {
        var conditions = LaunchConditions(now: 0)
        (conditions.sdkVersion, conditions.appVersion) = (version, version)
        conditions.clockStatus = .notConfigured
        conditions.guessed = [.sdkVersion, .appVersion, .osVersion, .deviceModel]
        return conditions
    }
}
