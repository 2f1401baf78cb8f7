// Conditional launch: what is looked at before an account is used, and what comes of it.

/// What a condition that is not met costs, least first.
package enum LaunchAction: String, Sendable, CaseIterable, Comparable {
    case warn, block, wipe

    package static func < (one: Self, other: Self) -> Bool { one.weight < other.weight }

    private var weight: Int {
        switch self {
        case .warn: 0
        case .block: 1
        case .wipe: 2
        }
    }
}

/// `IntuneMAMUserStatus`'s clock status; the raw value is the SDK's number.
package enum ClockStatus: Int, Sendable, CaseIterable {
    case notConfigured, unknown, clockedIn, clockedOut, clockedInStale, clockedOutStale
}

/// What is known of the device and the account. Nil is unknown: a condition that cannot be
/// evaluated blocks, or warns if that is the most it could do. It never wipes.
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
    /// False once the account's service has refused it. Unknown is no refusal.
    package var canAuthenticate: Bool?
    /// Seconds; the same clock as ``clockedOutSince``.
    package var now: Int64
    /// What no probe told, and was taken from the machine instead. Policies are written for phones:
    /// what they ask of an iOS says nothing of another system, so a condition on these never wipes.
    package var guessed: Set<LaunchSubject> = []

    package init(now: Int64) { self.now = now }
}

/// One condition that is not met, or cannot be evaluated.
package struct LaunchFinding: Sendable, Equatable {
    package let action: LaunchAction
    package let subject: LaunchSubject
    /// The property of the policy, as Graph names it.
    package let rule: String
    /// One sentence.
    package let reason: String
}

/// What a condition is about, in the order in which findings of one action are told.
package enum LaunchSubject: String, Sendable, CaseIterable {
    case sdkVersion, appVersion, osVersion, deviceModel, compliance, threatLevel, authentication
    case clock

    /// What provides the fact, for diagnosis of a closed account; nil if nothing can.
    var source: String? {
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

/// All findings, the gravest first.
package struct LaunchVerdict: Sendable, Equatable {
    package let findings: [LaunchFinding]

    /// Every condition is met, or none was looked at.
    package static let passed = LaunchVerdict([])

    /// Findings come in the order of ``LaunchSubject``, which the sort keeps.
    init(_ findings: [LaunchFinding]) {
        self.findings = LaunchAction.allCases.reversed().flatMap { action in
            findings.filter { $0.action == action }
        }
    }

    /// What is to be done; nil if every condition is met.
    package var action: LaunchAction? { findings.first?.action }
}
