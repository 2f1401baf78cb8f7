import MAMModel
import MAMPolicy
import Testing

@Suite struct PolicyBookTests {
    private static let ann = identity("ann@contoso.com", "o-1")
    private static let bob = identity("bob@contoso.com", "o-2")
    private static let groups = ["G-Staff": ["ANN@contoso.com"], "G-Guests": ["o-2"]]

    /// Targets; whether Ann and Bob are covered; how many warnings.
    @Test(arguments: [
        ("", true, true, 0), (everyone, true, true, 0), (devices, true, true, 0),
        (staff, true, false, 0), (guests, false, true, 0), ("\(staff),\(guests)", true, true, 0),
        (noGuests, true, false, 0), ("\(everyone),\(noGuests)", true, false, 0),
        ("\(staff),\(guests),\(noGuests)", true, false, 0), (strangers, true, true, 1),
        ("\(staff),\(strangers)", true, true, 1), ("\(everyone),\(noStrangers)", true, true, 1),
        (unheardOf, true, true, 0),
    ])
    func `assignments tell whom a document covers, and what is not known loosens nothing`(
        _ targets: String, _ coversAnn: Bool, _ coversBob: Bool, _ warningCount: Int
    ) throws {
        let document = try decode(#"{"assignments": [\#(targets)], "pinRequired": true}"#)
        let book = PolicyBook(documents: document, groups: Self.groups)
        #expect(book.covers(Self.ann) == coversAnn)
        #expect(book.covers(Self.bob) == coversBob)
        #expect((book.policy(for: Self.bob).rules.pinRequired == true) == coversBob)
        #expect(book.warnings.count == warningCount)
    }

    /// Ann's groups by an issuer's word; targets; whether Ann and Bob are covered, and whether Ann
    /// is if the word must not loosen; how many warnings.
    @Test(
        arguments: [
            (["g-guests"], guests, true, true, true, 0),
            (["g-guests"], staff, true, false, true, 0),
            (["g-guests"], noGuests, false, false, true, 0), ([], guests, false, true, false, 0),
            ([], strangers, false, true, true, 1),
            (["G-9"], strangers, true, true, true, 0),
            (["g-9"], noStrangers, false, true, true, 0),
            ([], noStrangers, true, true, true, 1),
        ] as [([String], String, Bool, Bool, Bool, Int)])
    func `an issuer's word on groups counts beside the settings`(
        _ groups: [String], _ targets: String, _ coversAnn: Bool, _ coversBob: Bool,
        _ coversStrictly: Bool, _ warningCount: Int
    ) throws {
        let document = try decode(#"{"assignments": [\#(targets)], "pinRequired": true}"#)
        let proven = [ProvenGroups(of: Self.ann, groups)]
        let book = PolicyBook(documents: document, groups: Self.groups, proven: proven)
        #expect(book.covers(Self.ann) == coversAnn)
        #expect(book.covers(Self.bob) == coversBob)
        #expect(book.warnings.count == warningCount)
        let strict = PolicyBook(
            documents: document, groups: Self.groups, proven: proven, mayLoosen: false)
        #expect(strict.covers(Self.ann) == coversStrictly)
        #expect(strict.covers(Self.bob) == coversBob)
    }

    private static func target(_ type: String, _ group: String = "") -> String {
        ##"""
        {"id": "x", "target": {"@odata.type": "#microsoft.graph.\##(type)AssignmentTarget",
        "groupId": "\##(group)"}}
        """##
    }

    private static let everyone = target("allLicensedUsers")
    private static let devices = target("allDevices")
    private static let staff = target("group", "g-staff")
    private static let guests = target("group", "G-GUESTS")
    private static let strangers = target("group", "g-9")
    private static let noGuests = target("exclusionGroup", "g-guests")
    private static let noStrangers = target("exclusionGroup", "g-9")
    private static let unheardOf = target("configurationManagerCollection")

    @Test(arguments: [
        (#""apps": [\#(app("Notes"))]"#, true), (#""apps": [\#(app("id-7"))]"#, true),
        (#""apps": [\#(app("other")), \#(app("notes"))]"#, true),
        (#""apps": [\#(app("other"))]"#, false), (#""apps": []"#, true),
        (#""apps": null"#, true),
        (#""isAssigned": false, "apps": [\#(app("Notes"))]"#, false),
        (#""isAssigned": false"#, false), (#""isAssigned": true"#, true),
        (#""appGroupType": "allApps", "apps": [\#(app("other"))]"#, true),
        (#""apps": [\#(android)]"#, false),
        (#""appGroupType": "allApps", "apps": [\#(android)]"#, true),
        (#""apps": [\#(android), \#(app("notes"))]"#, true),
    ])
    func `apps tell which workspace a document covers`(_ text: String, _ isCovered: Bool) throws {
        let book = PolicyBook(
            documents: try decode("{\(text), \"printBlocked\": true}"),
            workspace: ["notes", "ID-7"])
        #expect(book.covers(Self.ann) == isCovered)
        let isInForce = !text.contains(#""isAssigned": false"#)
        #expect(book.warnings.isEmpty == (isCovered || !isInForce))
    }

    private static let android = #"{"mobileAppIdentifier": {"packageId": "x"}}"#

    private static func app(_ name: String) -> String {
        #"{"id": "i", "mobileAppIdentifier": {"bundleId": "\#(name)"}}"#
    }

    @Test func `the default counts only where no other one covers the account`() throws {
        let documents = try decode(
            ##"""
            [{"@odata.type": "#microsoft.graph.defaultManagedAppProtection",
              "printBlocked": true, "pinRequired": true},
             {"pinRequired": false, "assignments": [\##(Self.staff)]}]
            """##)
        let book = PolicyBook(documents: documents, groups: Self.groups)
        #expect(book.policy(for: Self.ann).rules.pinRequired == false)
        #expect(book.policy(for: Self.ann).rules.printBlocked == nil)
        #expect(book.policy(for: Self.bob).rules.printBlocked == true)
    }

    @Test(arguments: ["androidManagedAppProtection", "windowsManagedAppProtection"])
    func `a protection of another system is added to the default`(_ type: String) throws {
        let documents = try decode(
            ##"""
            [{"@odata.type": "#microsoft.graph.defaultManagedAppProtection", "printBlocked": true},
             {"@odata.type": "#microsoft.graph.\##(type)", "pinRequired": true}]
            """##)
        let rules = PolicyBook(documents: documents).policy(for: Self.ann).rules
        #expect(rules.printBlocked == true && rules.pinRequired == true)
        let targeted = try decode(#"{"saveAsBlocked": true}"#)
        let all = PolicyBook(documents: documents + targeted).policy(for: Self.ann).rules
        #expect(all.printBlocked == nil && all.pinRequired == true && all.saveAsBlocked == true)
    }

    @Test func `a list of apps without a bundle tells what it covers`() throws {
        let apps = [Self.android, "\(Self.android), \(Self.app("notes"))"]
        let warnings = try apps.map {
            try decode(#"{"printBlocked": true, "apps": [\#($0)]}"#)[0].warnings
        }
        #expect(warnings[0] == [.appsWithoutBundle(coversNothing: true)])
        #expect(warnings[1] == [.appsWithoutBundle(coversNothing: false)])
    }

    /// Members of a document, and why it is in force for nobody; nil: it is for Ann.
    @Test(arguments: [
        ("", nil), (#", "isAssigned": false"#, "isAssigned is false"),
        (#", "assignments": [\#(guests)]"#, "no account is in the groups"),
        (
            #", "apps": [\#(app("a")), \#(app("b")), \#(app("c")), \#(app("d"))]"#,
            "its apps are a, b, c and 1 more, and this workspace is notes"
        ), (#", "apps": [\#(android)]"#, "its apps have no bundleId, and this workspace is notes"),
        (#", "__IsDefault": true"#, "it is the tenant's default"),
    ])
    func `for whom a document is in force is told, or why for nobody`(
        _ members: String, _ obstacle: String?
    ) throws {
        let groups = ["G-Guests": ["o-2"]]
        let before = PolicyBook(
            documents: try decode(#"{"pinRequired": true}"#), workspace: ["notes"], groups: groups)
        let new = try decode(#"{"printBlocked": true\#(members)}"#)
        let book = before.replacing("new.json", with: new)
        let coverage = book.coverage(of: new[0], among: [Self.ann])
        #expect(coverage.accounts.map(\.name) == (obstacle == nil ? [Self.ann.name] : []))
        #expect(coverage.obstacle?.hasPrefix(obstacle ?? "-") != false)
        #expect((coverage.next == nil) == (obstacle == nil))
        #expect(book.coverage(of: new[0], among: []).accounts.isEmpty)
        #expect(before.replacing("f.json", with: new).documents == new)
    }

    @Test func `protections and configurations stand in one file and are told apart`() throws {
        let documents = try decode(
            ##"""
            {"value": [{"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration",
              "displayName": "C", "assignments": [\##(Self.staff)],
              "customSettings": [{"@odata.type": "#microsoft.graph.keyValuePair", "name": "k",
              "value": "v"}, {"name": "n", "value": null}]},
             {"pinRequired": true}, {"customSettings": [], "__IsDefault": true}]}
            """##)
        #expect(documents.map(\.kind) == [.configuration, .protection, .configuration])
        #expect(documents.map(\.isDefault) == [false, false, true])
        #expect(documents.flatMap(\.warnings).isEmpty)
        let book = PolicyBook(documents: documents, groups: Self.groups)
        #expect(book.documents(for: Self.ann).count == 1)
        #expect(book.configuration(for: Self.ann).texts("k") == ["v"])
        #expect(book.configuration(for: Self.ann).texts("n") == [""])
        #expect(book.configuration(for: Self.bob).texts("k").isEmpty)
        #expect(!PolicyBook(documents: [documents[0]]).covers(Self.ann))
    }

    @Test(arguments: [
        #"{"assignments": [7]}"#, #"{"assignments": [{}]}"#, #"{"assignments": {}}"#,
        #"{"apps": "x"}"#, #"{"apps": ["x"]}"#, #"{"isAssigned": 1}"#, #"{"customSettings": {}}"#,
        #"{"customSettings": [{"value": "v"}]}"#,
        #"{"customSettings": [{"name": "n", "value": 1}]}"#,
    ])
    func `wrong members are refused`(_ text: String) {
        #expect(throws: PolicyError.self) { try decode(text) }
    }

    private func decode(_ text: String) throws -> [PolicyDocument] {
        try PolicyDocument.decode(Array(text.utf8), file: "f.json")
    }

    private static func identity(_ name: String, _ objectID: String) -> Identity {
        (try? Identity(name: name, objectID: objectID)) ?? .nobody
    }
}
