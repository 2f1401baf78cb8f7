import MAMModel
import MAMPolicy
import Testing

@Suite struct LaunchTests {
    /// Everything known, and nothing wrong with it.
    static var good: LaunchConditions {
        var conditions = LaunchConditions(now: 1_000_000)
        conditions.osVersion = "12.5"
        conditions.appVersion = "3.1"
        conditions.sdkVersion = "21.7.1"
        conditions.deviceModel = "ThinkPad X1"
        conditions.isCompliant = true
        conditions.threatLevel = .secured
        conditions.clockStatus = .clockedIn
        conditions.canAuthenticate = true
        return conditions
    }

    /// Found, limit, below a minimum, above a maximum; `?` for what cannot be compared.
    @Test(
        arguments: [
            ("10.2", "10.10", "yn"), ("10.10", "10.2", "ny"), ("10", "10.0.0", "nn"),
            ("10.0.1", "10", "ny"), ("9.99", "10", "yn"), ("010", "10", "nn"), ("0", "0.0", "nn"),
            ("18446744073709551615", "18446744073709551614", "ny"),
            ("18446744073709551616", "1", "??"), ("", "1", "??"), ("1..2", "1", "??"),
            ("1.", "1", "??"), ("-1", "1", "??"), ("+1", "1", "??"), ("1.a", "1", "??"),
            ("12 (bookworm)", "1", "??"), ("1", "seven", "??"), ("١", "1", "??"), (nil, "1", "??"),
        ] as [(String?, String, String)])
    func `versions are compared number by number`(
        _ found: String?, _ limit: String, _ row: String
    ) {
        let minimum = policy { $0.minimumRequiredOsVersion = limit }
        let maximum = policy { $0.maximumRequiredOsVersion = limit }
        var conditions = Self.good
        conditions.osVersion = found
        for (policy, expected) in zip([minimum, maximum], row) {
            let findings = policy.launchVerdict(conditions).findings
            #expect(findings.isEmpty == (expected == "n"))
            #expect(findings.allSatisfy { $0.action == .block })
            let isUnknown = findings.first?.reason.english.contains("cannot be evaluated") == true
            #expect(isUnknown == (expected == "?"))
        }
    }

    /// All at once: wipe, then block, then warn; in each the SDK, the program, the system, the
    /// rest.
    @Test func `the gravest comes first`() {
        let found = policy(Self.everything).launchVerdict(Self.bad)
        #expect(
            found.findings.map(\.rule) == [
                "minimumWipeSdkVersion", "minimumWipeAppVersion", "minimumWipeOsVersion",
                "maximumWipeOsVersion", "deviceComplianceRequired",
                "minimumRequiredSdkVersion", "minimumRequiredAppVersion",
                "minimumRequiredOsVersion", "maximumRequiredOsVersion", "allowedIosDeviceModels",
                "maximumAllowedDeviceThreatLevel", "appActionIfUnableToAuthenticateUser",
                "minimumWarningSdkVersion", "minimumWarningAppVersion", "minimumWarningOsVersion",
                "maximumWarningOsVersion", "appActionIfAccountIsClockedOut",
            ])
        #expect(
            found.findings.map(\.action)
                == Array(repeating: .wipe, count: 5) + Array(repeating: .block, count: 7)
                + Array(repeating: .warn, count: 5))
        #expect(found.action == .wipe)
    }

    @Test func `nothing known blocks or warns and never wipes, and says so`() {
        let found = policy(Self.everything).launchVerdict(LaunchConditions(now: 0))
        #expect(found.findings.count == 16)
        #expect(found.findings.allSatisfy { $0.reason.english.contains("cannot be evaluated") })
        #expect(found.action == .block)
        #expect(found.findings.filter { $0.action == .warn }.count == 5)
    }

    /// An iOS version in a policy says nothing of the machine's own.
    @Test func `what no probe told never wipes, and the reason names the probe`() {
        var conditions = Self.bad
        conditions.guessed = [.sdkVersion, .appVersion, .osVersion, .deviceModel]
        let found = policy(Self.everything).launchVerdict(conditions).findings
        #expect(found.filter { $0.action == .wipe }.map(\.rule) == ["deviceComplianceRequired"])
        #expect(found.count == 17)
        let reason = found.first { $0.rule == "minimumWipeOsVersion" }?.reason
        #expect(reason?.english.contains("Probes.OsVersion") == true)
        let unknown = policy(Self.everything).launchVerdict(LaunchConditions(now: 0)).findings
        #expect(unknown.allSatisfy { $0.reason.english.contains("Probes.") })
    }

    @Test func `a policy without conditions asks nothing of anyone`() {
        #expect(policy().launchVerdict(LaunchConditions(now: 0)).action == nil)
        #expect(policy().launchVerdict(Self.bad).findings.isEmpty)
        #expect(EffectivePolicy.unrestricted.launchVerdict(Self.bad).findings.isEmpty)
        #expect(policy { $0.minimumWipeOsVersion = "" }.launchVerdict(Self.bad).findings.isEmpty)
    }

    @Test(
        arguments: [
            ("ThinkPad X1", "thinkpad x1", true), ("a;THINKPAD X1 ; b", "ThinkPad X1", true),
            ("a;b", "ThinkPad X1", false), ("ThinkPad", "ThinkPad X1", false), ("a", nil, false),
            ("", "x", true), (" ; ;", "x", false), (";", nil, false),
        ] as [(String, String?, Bool)])
    func `device models`(_ list: String, _ model: String?, _ isAllowed: Bool) {
        for (asked, expected) in [(RemediationAction?.none, LaunchAction.block), (.warn, .warn)] {
            let policy = policy {
                $0.allowedIosDeviceModels = list
                $0.appActionIfIosDeviceModelNotAllowed = asked
            }
            var conditions = Self.good
            conditions.deviceModel = model
            #expect(policy.launchVerdict(conditions).action == (isAllowed ? nil : expected))
        }
    }

    /// Columns: the device is secured, low, medium, high, not configured, unknown.
    @Test(arguments: [
        (ThreatLevel?.none, "yyyyyy"), (.notConfigured, "yyyyyy"), (.secured, "ynnnnn"),
        (.low, "yynnnn"), (.medium, "yyynnn"), (.high, "yyyynn"),
    ])
    func `threat levels`(_ highest: ThreatLevel?, _ row: String) {
        let levels: [ThreatLevel?] = [.secured, .low, .medium, .high, .notConfigured, nil]
        for action in [RemediationAction?.none, .warn, .wipe] {
            let policy = policy {
                $0.maximumAllowedDeviceThreatLevel = highest
                $0.mobileThreatDefenseRemediationAction = action
            }
            for (level, expected) in zip(levels, row) {
                var conditions = Self.good
                conditions.threatLevel = level
                let isUnknown = level == nil || level == .notConfigured
                let consequence: LaunchAction = action == .wipe && !isUnknown ? .wipe : .block
                let found = policy.launchVerdict(conditions).action
                #expect(found == (expected == "y" ? nil : consequence))
            }
        }
    }

    /// Grace 600 s, clocked out at 1000. Columns: now 999, 1000, 1599, 1600, and clocked out at no
    /// known time.
    @Test(arguments: [
        (ClockStatus?.none, "nnnnn"), (.notConfigured, "yyyyy"), (.unknown, "nnnnn"),
        (.clockedIn, "yyyyy"), (.clockedInStale, "yyyyy"), (.clockedOut, "nyynn"),
        (.clockedOutStale, "nyynn"),
    ])
    func `clocked out`(_ status: ClockStatus?, _ row: String) {
        let policy = policy {
            $0.appActionIfAccountIsClockedOut = .block
            $0.gracePeriodToBlockAppsDuringOffClockHours = PolicyDuration(seconds: 600)
        }
        let times: [(Int64, Int64?)] = [(999, 1000), (1000, 1000), (1599, 1000), (1600, 1000)]
        for ((now, since), expected) in zip(times + [(1000, nil)], row) {
            var conditions = LaunchConditions(now: now)
            conditions.clockStatus = status
            conditions.clockedOutSince = since
            #expect((policy.launchVerdict(conditions).action == nil) == (expected == "y"))
        }
        var far = LaunchConditions(now: .max)
        far.clockStatus = .clockedOut
        far.clockedOutSince = .min
        #expect(policy.launchVerdict(far).action == .block)
    }

    @Test(
        arguments: [
            (true, nil), (nil, .block), (false, .wipe),
        ] as [(Bool?, LaunchAction?)])
    func `compliance`(_ known: Bool?, _ expected: LaunchAction?) {
        var conditions = Self.good
        conditions.isCompliant = known
        let strict = policy {
            $0.deviceComplianceRequired = true
            $0.appActionIfDeviceComplianceRequired = .wipe
        }
        #expect(strict.launchVerdict(conditions).action == expected)
        let off = policy {
            $0.deviceComplianceRequired = false
            $0.appActionIfDeviceComplianceRequired = .wipe
        }
        #expect(off.launchVerdict(conditions).action == nil)
    }

    @Test(arguments: [(true, nil), (nil, nil), (false, .wipe)] as [(Bool?, LaunchAction?)])
    func `an account that its service refused`(_ known: Bool?, _ expected: LaunchAction?) {
        var conditions = Self.good
        conditions.canAuthenticate = known
        let policy = policy { $0.appActionIfUnableToAuthenticateUser = .wipe }
        #expect(policy.launchVerdict(conditions).action == expected)
    }

    private static func everything(_ rules: inout PolicyRules) {
        (rules.minimumWipeSdkVersion, rules.minimumWipeAppVersion) = ("2", "2")
        (rules.minimumRequiredSdkVersion, rules.minimumRequiredAppVersion) = ("3", "3")
        (rules.minimumWarningSdkVersion, rules.minimumWarningAppVersion) = ("4", "4")
        rules.minimumWipeOsVersion = "2"
        rules.minimumRequiredOsVersion = "3"
        rules.minimumWarningOsVersion = "4"
        (rules.maximumWipeOsVersion, rules.maximumRequiredOsVersion) = ("0.5", "0.5")
        rules.maximumWarningOsVersion = "0.5"
        rules.allowedIosDeviceModels = "Other"
        rules.deviceComplianceRequired = true
        rules.appActionIfDeviceComplianceRequired = .wipe
        rules.maximumAllowedDeviceThreatLevel = .low
        rules.appActionIfUnableToAuthenticateUser = .blockWhenSettingIsSupported
        rules.appActionIfAccountIsClockedOut = .warn
    }

    private static var bad: LaunchConditions {
        var conditions = LaunchConditions(now: 0)
        (conditions.osVersion, conditions.appVersion) = ("1", "1")
        (conditions.sdkVersion, conditions.deviceModel) = ("1", "Model T")
        (conditions.isCompliant, conditions.canAuthenticate) = (false, false)
        (conditions.threatLevel, conditions.clockStatus) = (.high, .clockedOut)
        return conditions
    }
}
