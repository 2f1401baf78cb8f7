import MAMModel
import MAMPolicy
import Testing

/// What destroys needs two: nothing is wiped but for what documents that may wipe demand alone.
@Suite struct WipeTests {
    /// As an organisation signs it; `wiping`: with its order keys, too.
    private func document(
        wiping: Bool, _ configure: (inout PolicyRules) -> Void
    ) -> PolicyDocument {
        var document = PolicyDocument()
        configure(&document.rules)
        document.noteSigned(mayWipe: wiping)
        return document
    }

    private func action(_ documents: [PolicyDocument]) -> LaunchAction? {
        EffectivePolicy.merge(documents).launchVerdict(conditions).action
    }

    /// Known, and in no state that policy likes.
    private var conditions: LaunchConditions {
        var conditions = LaunchConditions(now: 1000)
        (conditions.osVersion, conditions.appVersion, conditions.sdkVersion) = ("12", "12", "12")
        (conditions.deviceModel, conditions.threatLevel) = ("Model T", .high)
        (conditions.isCompliant, conditions.canAuthenticate) = (false, false)
        (conditions.clockStatus, conditions.clockedOutSince) = (.clockedOut, 0)
        return conditions
    }

    /// Every rule that demands a wipe of such a machine.
    private static let demands: [@Sendable (inout PolicyRules) -> Void] = [
        { $0.minimumWipeOsVersion = "99.0" }, { $0.maximumWipeOsVersion = "1" },
        { $0.minimumWipeAppVersion = "99" }, { $0.minimumWipeSdkVersion = "99" },
        {
            $0.allowedIosDeviceModels = "Model A"
            $0.appActionIfIosDeviceModelNotAllowed = .wipe
        },
        {
            $0.deviceComplianceRequired = true
            $0.appActionIfDeviceComplianceRequired = .wipe
        },
        {
            $0.maximumAllowedDeviceThreatLevel = .secured
            $0.mobileThreatDefenseRemediationAction = .wipe
        },
        { $0.appActionIfUnableToAuthenticateUser = .wipe },
        { $0.appActionIfAccountIsClockedOut = .wipe },
    ]

    @Test(arguments: demands.indices)
    func `a condition wipes by a document that may, and blocks by others`(_ index: Int) {
        let demand = Self.demands[index]
        #expect(action([document(wiping: true, demand)]) == .wipe)
        #expect(action([document(wiping: false, demand)]) == .block)
        let other = document(wiping: true) { $0.pinRequired = true }
        #expect(action([document(wiping: false, demand), other]) == .block)
        #expect(action([document(wiping: true, demand), document(wiping: false, demand)]) == .wipe)
        // Nobody has signed what a local administrator writes.
        var local = PolicyDocument()
        demand(&local.rules)
        #expect(action([local]) == .wipe)
    }

    @Test func `a condition of the one is not joined with the action of the other`() {
        let action = document(wiping: true) {
            $0.appActionIfDeviceComplianceRequired = .wipe
            $0.mobileThreatDefenseRemediationAction = .wipe
            $0.appActionIfIosDeviceModelNotAllowed = .wipe
            $0.minimumWipeOsVersion = "11"
        }
        let condition = document(wiping: false) {
            $0.deviceComplianceRequired = true
            $0.maximumAllowedDeviceThreatLevel = .secured
            $0.allowedIosDeviceModels = "Model A"
            $0.minimumWipeOsVersion = "99"
        }
        let findings = EffectivePolicy.merge([action, condition]).launchVerdict(conditions).findings
        #expect(Set(findings.map(\.action)) == [.block])
        #expect(findings.count == 4)
    }

    @Test func `the properties that demand a wipe are named`() {
        let all = document(wiping: false) { rules in
            for demand in Self.demands { demand(&rules) }
            rules.appActionIfMaximumPinRetriesExceeded = .wipe
            rules.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: 86_400)
        }
        #expect(
            Set(all.wipeRules) == [
                "minimumWipeOsVersion", "maximumWipeOsVersion", "minimumWipeAppVersion",
                "minimumWipeSdkVersion", "appActionIfIosDeviceModelNotAllowed",
                "appActionIfDeviceComplianceRequired", "mobileThreatDefenseRemediationAction",
                "appActionIfUnableToAuthenticateUser", "appActionIfAccountIsClockedOut",
                "appActionIfMaximumPinRetriesExceeded", "periodOfflineBeforeWipeIsEnforced",
            ])
        let none = document(wiping: false) {
            $0.pinRequired = true
            $0.minimumRequiredOsVersion = "99"
            $0.periodOfflineBeforeAccessCheck = PolicyDuration(seconds: 60)
            $0.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: 0)
            $0.appActionIfDeviceComplianceRequired = .block
        }
        #expect(none.wipeRules.isEmpty)
        let text = #"[{"minimumWipeOsVersion": "1"}, {"minimumWipeOsVersion": "2"}]"#
        #expect(PolicyDocument.wipeRules(in: Array(text.utf8)) == ["minimumWipeOsVersion"])
        #expect(PolicyDocument.wipeRules(in: []).isEmpty)
    }

    @Test(arguments: [(1, 86_400), (86_399, 86_400), (86_400, 86_400), (90_000, 90_000), (0, 0)])
    func `a time to wipe is a day at least`(_ seconds: Int64, _ expected: Int64) {
        let document = document(wiping: true) {
            $0.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: seconds)
        }
        #expect(document.rules.periodOfflineBeforeWipeIsEnforced?.seconds == expected)
        #expect(document.warnings.isEmpty == (seconds == expected))
        #expect(EffectivePolicy.merge([document]).offlineWipeSeconds ?? 0 == expected)
    }

    // MARK: Groups

    private static let ann = try? Identity(name: "ann@contoso.com", objectID: "o-1")
    private static let staff = ["g": ["ann@contoso.com"]]

    /// Assignments; the members by any signature, and by those of order keys; whether Ann is
    /// covered, and whether she may be wiped.
    @Test(
        arguments: [
            ([], [:], [:], true, true), ([.everyone], [:], [:], true, true),
            ([.group("g")], staff, staff, true, true), ([.group("G")], staff, [:], true, false),
            ([.group("g")], staff, ["g": []], true, false),
            // What is not known, perhaps held back, covers, and wipes nobody.
            ([.group("g")], [:], [:], true, false),
            ([.group("g")], ["g": []], staff, false, false),
            ([.everyone, .group("g")], [:], [:], true, true), ([.unknown], [:], [:], true, false),
            // Another membership may have more members, and be held back or replaced.
            ([.allBut(group: "g")], ["g": []], ["g": []], true, false),
            ([.group("g"), .allBut(group: "h")], staff, staff, true, false),
            ([.everyone, .allBut(group: "g")], [:], [:], true, false),
        ] as [([Assignment], [String: [String]], [String: [String]], Bool, Bool)])
    func `only groups that order keys have signed put somebody under a wipe`(
        _ assignments: [Assignment], _ groups: [String: [String]], _ wiped: [String: [String]],
        _ isCovered: Bool, _ isWiped: Bool
    ) throws {
        let ann = try #require(Self.ann)
        var document = document(wiping: true) { $0.minimumWipeOsVersion = "99" }
        document.assignments = assignments
        let book = PolicyBook(
            documents: [document], groups: groups, wiped: wiped, mayLoosen: false)
        #expect(book.covers(ann) == isCovered)
        let action = book.policy(for: ann).launchVerdict(conditions).action
        #expect(action == (isWiped ? .wipe : isCovered ? .block : nil))
        #expect(book.replacing("f", with: []).policy(for: ann) == book.policy(for: ann))
    }

    /// Who withdraws the policies beside it would choose whom it wipes.
    @Test func `a default that is signed wipes nobody`() throws {
        let ann = try #require(Self.ann)
        var document = document(wiping: true) { $0.minimumWipeOsVersion = "99" }
        document.isDefault = true
        let book = PolicyBook(documents: [document], wiped: [:], mayLoosen: false)
        #expect(book.policy(for: ann).launchVerdict(conditions).action == .block)
        #expect(
            book.warnings == [.closesOnly(["minimumWipeOsVersion"], document: document.label)])
        let type = "#microsoft.graph.defaultManagedAppProtection"
        let text = #"{"@odata.type": "\#(type)", "minimumWipeOsVersion": "1"}"#
        #expect(PolicyDocument.wipeRules(in: Array(text.utf8)).isEmpty)
        // A local administrator's own default does.
        var local = PolicyDocument()
        (local.isDefault, local.rules.minimumWipeOsVersion) = (true, "99")
        let own = PolicyBook(documents: [local])
        #expect(own.policy(for: ann).launchVerdict(conditions).action == .wipe)
    }

    @Test func `without an organisation an unknown group wipes nobody, and a proven one does`()
        throws
    {
        let ann = try #require(Self.ann)
        var document = PolicyDocument()
        document.rules.minimumWipeOsVersion = "99"
        document.assignments = [.group("g")]
        func action(_ proven: [ProvenGroups], mayLoosen: Bool = true) -> LaunchAction? {
            PolicyBook(documents: [document], proven: proven, mayLoosen: mayLoosen)
                .policy(for: ann).launchVerdict(conditions).action
        }
        #expect(action([]) == .block)
        #expect(action([ProvenGroups(of: ann, ["G"])]) == .wipe)
        #expect(action([ProvenGroups(of: ann, ["G"])], mayLoosen: false) == .block)
    }

    @Test func `a book tells which of its documents only close`() {
        let demand: (inout PolicyRules) -> Void = { $0.minimumWipeOsVersion = "99" }
        var ofGroup = document(wiping: true, demand)
        ofGroup.assignments = [.group("g")]
        func warnings(_ document: PolicyDocument, _ wiped: [String: [String]]) -> [PolicyWarning] {
            PolicyBook(documents: [document], groups: Self.staff, wiped: wiped).warnings
        }
        let warning = PolicyWarning.closesOnly(["minimumWipeOsVersion"], document: ofGroup.label)
        #expect(warnings(document(wiping: false, demand), [:]) == [warning])
        #expect(warnings(document(wiping: true, demand), [:]).isEmpty)
        #expect(warnings(ofGroup, [:]) == [warning])
        #expect(warnings(ofGroup, Self.staff).isEmpty)
        #expect(warnings(document(wiping: false) { $0.pinRequired = true }, [:]).isEmpty)
    }
}
