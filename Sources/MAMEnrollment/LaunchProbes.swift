// The machine's state that policy has conditions on.

internal import Glibc
internal import MAMModel
package import MAMPolicy
package import MAMSettings
internal import MAMSystem

/// The programs in `Probes`, and what is known without them.
package struct LaunchProbes: Sendable {
    let settings: Settings.Probes
    private let timeoutSeconds: Int

    static let complianceWords = ["compliant": true, "noncompliant": false]
    static let clockWords: [String: ClockStatus] = [
        "in": .clockedIn, "out": .clockedOut, "in-stale": .clockedInStale,
        "out-stale": .clockedOutStale, "not-configured": .notConfigured,
    ]

    package init(_ settings: Settings) {
        self.settings = settings.probes
        timeoutSeconds = settings.hooks.timeoutSeconds
    }

    /// Evaluates only what the policy has conditions on, because a probe may be slow.
    package func conditions(for rules: PolicyRules, stated: ThreatLevel?) -> LaunchConditions {
        var conditions = LaunchConditions(now: 0)
        let told: [(LaunchSubject, [String]?)] = [
            (.sdkVersion, settings.sdkVersion), (.appVersion, settings.appVersion),
            (.osVersion, settings.osVersion), (.deviceModel, settings.deviceModel),
        ]
        conditions.guessed = Set(told.filter { $0.1 == nil }.map(\.0))
        conditions.sdkVersion = settings.sdkVersion.map { answer($0) } ?? productVersion
        conditions.appVersion = settings.appVersion.map { answer($0) } ?? productVersion
        let versions = [
            rules.minimumRequiredOsVersion, rules.minimumWarningOsVersion,
            rules.minimumWipeOsVersion, rules.maximumRequiredOsVersion,
            rules.maximumWarningOsVersion, rules.maximumWipeOsVersion,
        ]
        if versions.contains(where: { $0 != nil }) {
            conditions.osVersion = settings.osVersion.map { answer($0) } ?? osRelease("VERSION_ID")
        }
        if rules.allowedIosDeviceModels != nil {
            conditions.deviceModel = settings.deviceModel.map { answer($0) } ?? Self.deviceModel
        }
        if rules.deviceComplianceRequired == true { conditions.isCompliant = isCompliant }
        if rules.maximumAllowedDeviceThreatLevel != nil {
            conditions.threatLevel = threatLevel(stated)
        }
        if rules.appActionIfAccountIsClockedOut != nil { conditions.clockStatus = clockStatus }
        return conditions
    }

    /// `compliant` or `noncompliant`; unknown without a probe.
    package var isCompliant: Bool? {
        settings.compliance.flatMap(answer).flatMap { Self.complianceWords[$0] }
    }

    /// A probe's result takes precedence over a stated level.
    package func threatLevel(
        stated: ThreatLevel?, probed: @autoclosure () -> ThreatLevel?
    ) -> ThreatLevel? {
        settings.threatLevel == nil ? stated ?? settings.statedThreatLevel : probed()
    }

    private func threatLevel(_ stated: ThreatLevel?) -> ThreatLevel? {
        threatLevel(
            stated: stated,
            probed: settings.threatLevel.flatMap(answer).flatMap(ThreatLevel.init(rawValue:)))
    }

    package var clockStatus: ClockStatus {
        guard let command = settings.clockStatus else { return .notConfigured }
        return answer(command).flatMap { Self.clockWords[$0] } ?? .unknown
    }

    private func answer(_ command: [String]) -> String? { result(of: command).answer }

    func result(of command: [String]) -> CommandResult {
        runCommand(command, timeoutSeconds: timeoutSeconds)
    }

    /// The machine's name according to its firmware.
    private static var deviceModel: String? {
        let bytes =
            (try? readSmallFile("/sys/class/dmi/id/product_name", maximumByteCount: 4096)) ?? []
        let text = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}
