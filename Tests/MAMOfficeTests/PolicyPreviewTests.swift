import MAMFleet
import MAMModel
import MAMPolicy
import TestSupport
import Testing

@testable import MAMOffice

/// What a push says of the account that the one machine has reported.
@Suite struct PolicyPreviewTests {
    let test: TestDirectory

    init() throws { test = try TestDirectory() }

    private func previews(
        _ wanted: [String: String], isPruning: Bool = false
    ) throws -> [PolicyPreview] {
        let signed = try test.directory.signedPolicies(by: test.root, of: test.organization)
        let policies = wanted.map { name, text in
            WantedPolicy(Slot(.policy, .all, name), Array(text.utf8), from: "\(name).json")
        }
        let push = PolicyPush(policies, signed: signed, isPruning: isPruning, at: test.now)
        return push.previews(since: signed, test.survey, version: "1")
    }

    private func preview(_ text: String) throws -> PolicyPreview {
        try #require(previews(["level": text]).first)
    }

    /// A report of Ann's account, on a machine that contains programs or not.
    private func report(contains: Bool = true, _ change: (inout MachineStatus) -> Void = { _ in })
        throws
    {
        try test.report([:]) { status in
            status.contained = contains
            status.accounts = [
                .init(
                    id: Bytes16(high: 1, low: 1), name: "ann@contoso.com", objectID: "",
                    window: .open)
            ]
            change(&status)
        }
    }

    @Test func `whom it covers, and that a machine has told nothing`() throws {
        let unknown = try preview(#"{"pinRequired": true}"#)
        #expect((unknown.machines.count, unknown.silent.count) == (1, 1))
        #expect(!unknown.isForNobody)
        try report()
        let known = try preview(#"{"pinRequired": true}"#)
        #expect(known.covered.map(\.name) == ["ann@contoso.com"])
        #expect(known.silent.isEmpty)
        #expect(known.effects.map(\.kind) == [.passphrase])
        #expect(!known.closesAll)
    }

    @Test func `a policy for another workspace or nobody is for nobody`() throws {
        try report()
        let apps = { (name: String) in
            #"""
            {"pinRequired": true, "apps": [{"mobileAppIdentifier": {"bundleId": "\#(name)"}}]}
            """#
        }
        let other = try preview(apps("com.contoso.mail"))
        #expect(other.isForNobody)
        #expect(other.obstacles.keys.first?.contains("com.contoso.mail") == true)
        #expect(try !preview(apps("Work")).isForNobody)
        #expect(try preview(#"{"pinRequired": true, "isAssigned": false}"#).isForNobody)
    }

    @Test func `what closes all is told, with the machine that cannot contain`() throws {
        try report()
        let keeps = #"{"saveAsBlocked": true}"#
        let contained = try preview(keeps)
        #expect(contained.closesAll)
        #expect(contained.closed.map(\.account.name) == ["ann@contoso.com"])
        try report(contains: false)
        let reason = try preview(keeps).closed.first?.reason ?? ""
        #expect(reason.contains("its machine contains no programs"))
    }

    @Test func `what another policy closes already is not new`() throws {
        try report()
        try test.sign(.policy, ["deviceComplianceRequired": true], .all, "strict")
        let same = #"{"deviceComplianceRequired": true}"#
        let found = try previews(["strict": same, "level": #"{"printBlocked": true}"#])
        #expect(found.allSatisfy { $0.closed.isEmpty && !$0.closesAll })
        let new = try #require(
            previews(["strict": same, "level": #"{"maximumAllowedDeviceThreatLevel": "low"}"#])
                .first { $0.change.slot.name == "level" })
        #expect(new.closed.count == 1)
        #expect(new.closesAll)
    }

    @Test func `a group's members by signed memberships`() throws {
        try report()
        let staff = Membership(members: ["staff": ["ann@contoso.com"], "guests": ["bob"]])
        try test.sign(.membership, staff.json, .all, "members")
        let group = { (name: String) in
            #"""
            {"pinRequired": true, "assignments": [{"target": {"groupId": "\#(name)",
             "@odata.type": "#microsoft.graph.groupAssignmentTarget"}}]}
            """#
        }
        #expect(try preview(group("Staff")).covered.count == 1)
        #expect(try preview(group("guests")).isForNobody)
        // Nobody knows its members: it is for everybody.
        let strange = try preview(group("strangers"))
        #expect(strange.covered.count == 1)
        #expect(strange.warnings.count == 1)
    }

    @Test func `who leaves a group is closed by its membership`() throws {
        try report()
        let staff: JSONValue = [
            "pinRequired": true,
            "assignments": [
                [
                    "target": [
                        "groupId": "staff",
                        "@odata.type": "#microsoft.graph.groupAssignmentTarget",
                    ]
                ]
            ],
        ]
        try test.sign(.policy, staff, .all, "level")
        let slot = PeopleSettings.slot(ofGroup: "staff")
        let preview = { [test] (names: [String]) throws -> PolicyPreview in
            let push = PolicyPush(
                [
                    WantedPolicy(
                        slot, Membership(members: ["staff": names]).json.encoded(),
                        from: PeopleSettings.file)
                ],
                signed: try test.directory.peopleMemberships(
                    by: test.root, of: test.organization), isPruning: false, at: test.now)
            let policies = try test.directory.signedPolicies(by: test.root, of: test.organization)
            return try #require(
                push.previews(since: policies, test.survey, version: "1").first)
        }
        // As long as nobody knows its members it has everybody.
        #expect(try preview(["ann@contoso.com"]).covered.isEmpty)
        let others = try preview(["bob@contoso.com"])
        #expect(others.closed.map(\.reason) == ["no policy covers it any more"])
        #expect(others.closesAll)
        try test.sign(
            .membership, Membership(members: ["staff": ["Ann@Contoso.com"]]).json, .all, slot.name)
        let gone = try preview([])
        #expect(gone.membership?.leaving == ["Ann@Contoso.com"])
        #expect(gone.closed.map(\.account.name) == ["ann@contoso.com"])
        #expect(!gone.closesAll && !gone.isForNobody)
        // A membership that was signed by hand has her, too.
        try test.sign(
            .membership, Membership(members: ["Staff": ["ann@contoso.com"]]).json, .all, "hand")
        #expect(try preview([]).covered.isEmpty)
    }

    @Test func `a withdrawal closes whom nothing else covers`() throws {
        try report()
        try test.sign(.policy, ["pinRequired": true], .all, "level")
        let (kept, gone) = (#"{"printBlocked": true}"#, try previews([:], isPruning: true))
        let alone = try #require(gone.first)
        #expect(alone.closesAll)
        #expect(alone.closed.map(\.reason) == ["no policy covers it any more"])
        let renamed = try previews(["other": kept], isPruning: true)
        #expect(renamed.allSatisfy { !$0.closesAll })
    }
}
