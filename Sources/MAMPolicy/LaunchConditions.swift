// Conditional launch: the conditions to use an account, and their result.

package import MAMModel

/// The consequence of an unmet condition, mildest first.
package enum LaunchAction: String, Sendable, CaseIterable, Comparable {
    case warn, block, wipe

    package static func < (one: Self, other: Self) -> Bool { one.place < other.place }
}

/// The clock status in `IntuneMAMUserStatus`; the raw value is the SDK's number.
package enum ClockStatus: Int, Sendable, CaseIterable {
    case notConfigured, unknown, clockedIn, clockedOut, clockedInStale, clockedOutStale
}

/// Facts about the device and the account. Nil means unknown: a condition that cannot be evaluated
/// blocks, or warns if its own action is no more than that. It never wipes.
package struct LaunchConditions: Sendable {
    package var osVersion: String?
    package var appVersion: String?
    package var sdkVersion: String?
    package var deviceModel: String?
    package var isCompliant: Bool?
    package var threatLevel: ThreatLevel?
    package var clockStatus: ClockStatus?
    /// When the account clocked out.
    package var clockedOutSince: Int64?
    /// False once the account's service has refused it. Unknown does not count as a refusal.
    package var canAuthenticate: Bool?
    /// In seconds, on the clock of ``clockedOutSince``.
    package var now: Int64
    /// Facts without a probe, taken from the machine instead. Policies are written for phones: a
    /// requirement for iOS says nothing about another system, so a condition on these never wipes.
    package var guessed: Set<LaunchSubject> = []

    package init(now: Int64) { self.now = now }
}

/// A condition that is not met or cannot be evaluated.
package struct LaunchFinding: Sendable, Equatable {
    package let action: LaunchAction
    package let subject: LaunchSubject
    /// The policy property, by its name in Graph.
    package let rule: String
    /// One sentence.
    package let reason: Message

    package init(action: LaunchAction, subject: LaunchSubject, rule: String, reason: Message) {
        (self.action, self.subject, self.rule, self.reason) = (action, subject, rule, reason)
    }
}

/// The subject of a condition, in the order in which findings with the same action are reported.
package enum LaunchSubject: String, Sendable, CaseIterable {
    case sdkVersion, appVersion, osVersion, deviceModel, compliance, threatLevel, authentication
    case clock

    /// The source of the fact, to diagnose a blocked account; nil if there can be none.
    var source: Message? {
        switch self {
        case .sdkVersion: "the setting Probes.SdkVersion"
        case .appVersion: "the setting Probes.AppVersion"
        case .osVersion: "the setting Probes.OsVersion"
        case .deviceModel: "the setting Probes.DeviceModel"
        case .compliance: "the setting Probes.Compliance"
        case .threatLevel: "mamctl threat set, or the setting Probes.ThreatLevel"
        case .clock: "the setting Probes.ClockStatus"
        case .authentication: nil
        }
    }
}

/// All findings, most severe first.
package struct LaunchVerdict: Sendable, Equatable {
    package let findings: [LaunchFinding]

    /// All conditions are met, or none was evaluated.
    package static let passed = LaunchVerdict([])

    /// The sort is stable: findings of one action stay in the order of ``LaunchSubject``.
    package init(_ findings: [LaunchFinding]) {
        self.findings = LaunchAction.allCases.reversed().flatMap { action in
            findings.filter { $0.action == action }
        }
    }

    /// The action to take; nil if all conditions are met.
    package var action: LaunchAction? { findings.first?.action }
}
