// The rules of a policy that destroy data.

internal import MAMModel

/// A rule by which an account is wiped.
package struct WipingRule: Sendable, Hashable {
    /// The policy property, by its name in Graph.
    package let rule: String
    /// A clause that follows "when".
    package let condition: String
}

extension EffectivePolicy {
    /// All rules that can wipe an account. Conditions on the machine are those that wipe it at
    /// their worst: unknown input never does.
    package var wipingRules: [WipingRule] {
        var found: [WipingRule] = []
        for conditions in [LaunchConditions.worst(version: "0"), .worst(version: "\(UInt64.max)")] {
            for finding in launchVerdict(conditions).findings where finding.action == .wipe {
                let rule = WipingRule(rule: finding.rule, condition: condition(finding))
                if !found.contains(rule) { found.append(rule) }
            }
        }
        return found + [wrongPassphrases, longAbsence].compactMap(\.self)
    }

    private var wrongPassphrases: WipingRule? {
        guard let limit = pin.wipesAfter else { return nil }
        return WipingRule(
            rule: "appActionIfMaximumPinRetriesExceeded",
            condition: "its passphrase was wrong \(limit) times")
    }

    private var longAbsence: WipingRule? {
        guard let limit = pin.wipesOfflineAfter,
            let period = wipeRules.periodOfflineBeforeWipeIsEnforced
        else { return nil }
        return WipingRule(
            rule: "periodOfflineBeforeWipeIsEnforced",
            condition: "it had no check-in for \(period.text), and then its passphrase was wrong"
                + " \(limit) times")
    }

    private func condition(_ finding: LaunchFinding) -> String {
        switch finding.subject {
        case .sdkVersion, .appVersion, .osVersion:
            "the version does not meet \(limit(of: finding.rule))"
        case .deviceModel: "allowedIosDeviceModels does not list the machine's model"
        case .threatLevel:
            "the threat level is above \(limit(of: finding.rule))"
        case .compliance, .authentication, .clock: finding.reason.english
        }
    }

    private func limit(of rule: String) -> String {
        "\(rule) \(RuleField.shown(rule, in: rules).text ?? "")"
    }
}

extension RuleField {
    /// The value of a property; null: not configured.
    static func shown(_ key: String, in rules: PolicyRules) -> JSONValue {
        all.first { $0.key == key }?.show(rules) ?? .null
    }
}

extension LaunchConditions {
    /// Everything is known and as bad as it can be, versions but for being too low or too high.
    fileprivate static func worst(version: String) -> LaunchConditions {
        var conditions = LaunchConditions(now: 0)
        (conditions.sdkVersion, conditions.appVersion) = (version, version)
        (conditions.osVersion, conditions.deviceModel) = (version, "")
        (conditions.isCompliant, conditions.canAuthenticate) = (false, false)
        (conditions.threatLevel, conditions.clockStatus) = (.high, .clockedOut)
        return conditions
    }
}
