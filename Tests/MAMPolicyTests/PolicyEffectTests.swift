import MAMModel
import MAMPolicy
import Testing

/// What a policy closes and wipes: from the contract, before it is in force anywhere.
@Suite struct PolicyEffectTests {
    private static let none = EffectivePolicy.unrestricted

    private func kinds(
        _ former: EffectivePolicy = Self.none, version: String = "0.1.0",
        _ configure: (inout PolicyRules) -> Void
    ) -> [PolicyEffect.Kind] {
        policy(configure).effects(since: former, version: version).map(\.kind)
    }

    @Test func `an organisation's document that keeps data is for contained programs alone`() {
        var document = PolicyDocument()
        document.rules.saveAsBlocked = true
        let own = EffectivePolicy.merge([document])
        document.id = "T_1"
        let tenants = EffectivePolicy.merge([document])
        #expect(own.effects(since: Self.none, version: "1").isEmpty)
        let effects = tenants.effects(since: Self.none, version: "1")
        #expect(effects.map(\.rule) == ["saveAsBlocked"])
        #expect(effects.allSatisfy { $0.isForAll })
        #expect(tenants.effects(since: tenants, version: "1").isEmpty)
    }

    @Test func `what no probe answers blocks or warns`() {
        #expect(kinds { $0.deviceComplianceRequired = true } == [.condition])
        #expect(kinds { $0.minimumRequiredOsVersion = "17.6" } == [.condition])
        #expect(kinds { $0.minimumWarningOsVersion = "17.6" } == [.warning])
        #expect(kinds { $0.minimumRequiredAppVersion = "0.2" } == [.condition])
        #expect(kinds(version: "0.2") { $0.minimumRequiredAppVersion = "0.2" } == [])
        #expect(kinds { $0.appActionIfAccountIsClockedOut = .block } == [])
        #expect(kinds { $0.appActionIfUnableToAuthenticateUser = .wipe } == [])
    }

    @Test func `only what is new is told`() {
        let former = policy {
            $0.deviceComplianceRequired = true
            $0.minimumRequiredOsVersion = "17.6"
            $0.minimumRequiredAppVersion = "2"
            $0.pinRequired = true
            $0.periodOfflineBeforeAccessCheck = PolicyDuration(seconds: 7200)
        }
        #expect(former.effects(since: former, version: "1").isEmpty)
        // Any machine may meet the one and not the other.
        #expect(kinds(former) { $0.minimumRequiredOsVersion = "18" } == [.condition])
        #expect(kinds(former) { $0.minimumRequiredAppVersion = "3" } == [])
        #expect(kinds(former) { $0.minimumPinLength = 9 } == [])
        let long = kinds(former) {
            $0.pinRequired = true
            $0.minimumPinLength = 9
        }
        #expect(long == [.passphrase])
        let time = { (seconds: Int64) in
            kinds(former) {
                $0.periodOfflineBeforeAccessCheck = PolicyDuration(seconds: seconds)
            }
        }
        #expect(time(0) == [])
        #expect(time(7200) == [])
        #expect(time(7199) == [.absence])
    }

    @Test func `every rule that can wipe is named`() {
        func wiping(_ configure: (inout PolicyRules) -> Void) -> [String] {
            policy(configure).wipingRules.map(\.rule)
        }
        #expect(wiping { $0.minimumWipeOsVersion = "1.1" } == ["minimumWipeOsVersion"])
        #expect(wiping { $0.maximumWipeOsVersion = "20" } == ["maximumWipeOsVersion"])
        #expect(wiping { $0.minimumWipeAppVersion = "2" } == ["minimumWipeAppVersion"])
        #expect(wiping { $0.minimumWipeSdkVersion = "2" } == ["minimumWipeSdkVersion"])
        // It is no version, and blocks.
        #expect(wiping { $0.minimumWipeOsVersion = "seven" } == [])
        let actions: [(String, (inout PolicyRules, RemediationAction) -> Void)] = [
            (
                "deviceComplianceRequired",
                {
                    $0.deviceComplianceRequired = true
                    $0.appActionIfDeviceComplianceRequired = $1
                }
            ),
            (
                "allowedIosDeviceModels",
                {
                    $0.allowedIosDeviceModels = "iPad"
                    $0.appActionIfIosDeviceModelNotAllowed = $1
                }
            ),
            (
                "maximumAllowedDeviceThreatLevel",
                {
                    $0.maximumAllowedDeviceThreatLevel = .low
                    $0.mobileThreatDefenseRemediationAction = $1
                }
            ),
            (
                "appActionIfUnableToAuthenticateUser",
                { $0.appActionIfUnableToAuthenticateUser = $1 }
            ),
            ("appActionIfAccountIsClockedOut", { $0.appActionIfAccountIsClockedOut = $1 }),
            (
                "appActionIfMaximumPinRetriesExceeded",
                {
                    $0.pinRequired = true
                    $0.appActionIfMaximumPinRetriesExceeded = $1
                }
            ),
        ]
        for (rule, set) in actions {
            #expect(wiping { set(&$0, .wipe) } == [rule])
            #expect(wiping { set(&$0, .block) } == [])
        }
        let period = PolicyDuration(seconds: 86_400)
        #expect(
            wiping { $0.periodOfflineBeforeWipeIsEnforced = period }
                == ["periodOfflineBeforeWipeIsEnforced"])
        #expect(
            wiping { $0.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: 0) } == [])
        #expect(wiping { $0.appActionIfMaximumPinRetriesExceeded = .wipe } == [])
    }

    @Test func `each property is enforced, answered or neither, and in one way`() {
        let known = RuleForce.allCases.flatMap { RuleForce.keys[$0] ?? [] }
        let others: Set = [
            "displayName", "customSettings", "isAssigned", "assignments", "apps", "appGroupType",
        ]
        #expect(Set(known).count == known.count)
        #expect(Set(known) == Set(PolicyWarning.keysOfPolicies).subtracting(others))
        #expect(RuleForce(of: "displayName") == nil)
    }
}
