// The version conditions, in one table.

internal import MAMModel

extension EffectivePolicy {
    /// In the order SDK, program, system.
    func versionFindings(_ conditions: LaunchConditions) -> [LaunchFinding] {
        Self.versionRules.compactMap { rule in
            guard let limit = rule.limit(rules), !limit.isEmpty else { return nil }
            let found = rule.found(conditions)
            return finding(
                rule.bound.isMet(by: found, limit), rule.subject, rule.name, rule.action,
                rule.bound == .minimum
                    ? "version \(found ?? "") is older than \(limit)"
                    : "version \(found ?? "") is newer than \(limit)")
        }
    }

    private enum Bound {
        case minimum, maximum

        /// Nil if either is not a version.
        func isMet(by found: String?, _ limit: String) -> Bool? {
            guard let version = found.flatMap(VersionNumber.init),
                let limit = VersionNumber(limit)
            else { return nil }
            return self == .minimum ? version >= limit : version <= limit
        }
    }

    private struct VersionRule {
        let name: String
        let limit: @Sendable (PolicyRules) -> String?
        let bound: Bound
        let action: RemediationAction
        let subject: LaunchSubject
        let found: @Sendable (LaunchConditions) -> String?
    }

    private static let versionRules =
        limits(
            of: .sdkVersion, \.sdkVersion,
            [
                ("minimumWipeSdkVersion", \.minimumWipeSdkVersion, .minimum, .wipe),
                ("minimumRequiredSdkVersion", \.minimumRequiredSdkVersion, .minimum, .block),
                ("minimumWarningSdkVersion", \.minimumWarningSdkVersion, .minimum, .warn),
            ])
        + limits(
            of: .appVersion, \.appVersion,
            [
                ("minimumWipeAppVersion", \.minimumWipeAppVersion, .minimum, .wipe),
                ("minimumRequiredAppVersion", \.minimumRequiredAppVersion, .minimum, .block),
                ("minimumWarningAppVersion", \.minimumWarningAppVersion, .minimum, .warn),
            ])
        + limits(
            of: .osVersion, \.osVersion,
            [
                ("minimumWipeOsVersion", \.minimumWipeOsVersion, .minimum, .wipe),
                ("maximumWipeOsVersion", \.maximumWipeOsVersion, .maximum, .wipe),
                ("minimumRequiredOsVersion", \.minimumRequiredOsVersion, .minimum, .block),
                ("maximumRequiredOsVersion", \.maximumRequiredOsVersion, .maximum, .block),
                ("minimumWarningOsVersion", \.minimumWarningOsVersion, .minimum, .warn),
                ("maximumWarningOsVersion", \.maximumWarningOsVersion, .maximum, .warn),
            ])

    private static func limits(
        of subject: LaunchSubject, _ found: @escaping @Sendable (LaunchConditions) -> String?,
        _ rows: [(String, @Sendable (PolicyRules) -> String?, Bound, RemediationAction)]
    ) -> [VersionRule] {
        rows.map {
            VersionRule(
                name: $0.0, limit: $0.1, bound: $0.2, action: $0.3, subject: subject, found: found)
        }
    }
}

/// Integers separated by dots. A missing one counts as 0: 10 equals 10.0.
package struct VersionNumber: Sendable {
    private let parts: [UInt64]

    /// Nil for anything else, which cannot be compared.
    package init?(_ text: String) {
        guard text.utf8.count <= 256 else { return nil }
        var parts: [UInt64] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(part)
            else { return nil }
            parts.append(number)
        }
        while parts.last == 0 { parts.removeLast() }
        self.parts = parts
    }
}

extension VersionNumber: Comparable {
    package static func < (one: Self, other: Self) -> Bool {
        one.parts.lexicographicallyPrecedes(other.parts)
    }
}
