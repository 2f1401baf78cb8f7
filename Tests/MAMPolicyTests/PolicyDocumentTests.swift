import MAMModel
import MAMPolicy
import Testing

@Suite struct PolicyDocumentTests {
    private static let one = #"{"id": "T_1", "appDataEncryptionType": "whenDeviceLocked"}"#
    private static let two = #"{"id": "T_2", "appDataEncryptionType": null, "printBlocked": true}"#

    @Test(arguments: [
        (one, 1), ("[\(one)]", 1), ("[\(one), \(two)]", 2), (#"{"value": \#(one)}"#, 1),
        (#"{"value": [\#(one), \#(two)]}"#, 2),
        (#"{"@odata.context": "x", "value": [\#(one)]}"#, 1), (" \n\(one)\n", 1),
        (#"{"@odata.nextLink": null, "value": [\#(one)]}"#, 1),
    ])
    func `every shape of an export is read`(_ text: String, _ count: Int) throws {
        let documents = try PolicyDocument.decode(Array(text.utf8))
        #expect(documents.count == count)
        if text.contains("T_1") {
            #expect(documents[0].id == "T_1")
            #expect(documents[0].rules.appDataEncryptionType == .whenDeviceLocked)
        }
        if count == 2 { #expect(documents[1].rules.appDataEncryptionType == nil) }
    }

    /// Windows' PowerShell writes UTF-16 where it is not told otherwise.
    @Test func `every encoding of an export is read`() throws {
        let text = "[\(Self.one),\r\n\(Self.two.replacing("T_2", with: "Zoë 🦆"))]\r\n"
        let units = Array("\u{FEFF}\(text)".utf16)
        let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        let plain = try PolicyDocument.decode(Array(text.utf8))
        for bytes in [little, big, Array("\u{FEFF}\(text)".utf8)] {
            #expect(try PolicyDocument.decode(bytes) == plain)
            #expect(PolicyLint.check(bytes) == PolicyLint.check(Array(text.utf8)))
            #expect(try ExportedPolicy.all(in: bytes).count == 2)
        }
        // Half a character, and half of a pair.
        for bytes in [little.dropLast(), little.prefix(2) + [0x00, 0xD8]] {
            #expect(throws: PolicyError.notJSON) { try PolicyDocument.decode(Array(bytes)) }
        }
    }

    @Test(
        arguments: [
            ("", .notJSON), ("{", .notJSON), ("{} {}", .notJSON), ("{\"id\": \"\u{FFFF}", .notJSON),
            ("7", .notADocument(found: "a number")), ("[1]", .notADocument(found: "a number")),
            ("null", .notADocument(found: "null")),
            (#"{"value": true}"#, .notADocument(found: "a Boolean")),
            ("[[\(one)]]", .notADocument(found: "a list")), ("[]", .empty),
            (#"{"value": []}"#, .empty),
            (
                ##"{"@odata.type": "#microsoft.graph.androidWorkProfile"}"##,
                .otherType("#microsoft.graph.androidWorkProfile")
            ),
            ("{}", .noRules), (#"{"id": "x", "printBlocked": null}"#, .noRules),
            ("[\(one), {}]", .noRules), (#"{"customBrowserProtocol": ""}"#, .noRules),
            (##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection"}"##, .noRules),
            (
                ##"""
                {"@odata.type": "#microsoft.graph.managedAppProtection", "customSettings": []}
                """##,
                .noRules
            ),
            (#"{"error": {"code": "Forbidden", "message": "x"}}"#, .graphError("\"Forbidden\"")),
            (#"{"error": {}, "pinRequired": true}"#, .graphError(nil)),
            (#"{"value": [\#(one)], "@odata.nextLink": "https://x"}"#, .firstPage),
            (#"{"pinRequired": true, "apps": [], "apps@odata.nextLink": "x"}"#, .firstPage),
            (#"[{"pinRequired": true, "assignments@odata.nextLink": "x"}]"#, .firstPage),
            (
                ##"{"@odata.context": "https://x/$metadata#users(id)", "value": [\##(one)]}"##,
                .otherType("#microsoft.graph.user")
            ),
            (
                ##"{"@odata.context": "x#deviceManagement/devicePolicies/$entity", "id": "x"}"##,
                .otherType("#microsoft.graph.devicePolicy")
            ),
            (
                "{\"printBlocked\": true,\n\"printBlocked\": false}",
                .twice(key: "printBlocked", line: 2)
            ),
            (#"{"printBlocked": true, "x": [{"a": 1, "\u0061": 1}]}"#, .twice(key: "a", line: 1)),
            (
                "<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>",
                .twice(key: "a", line: nil)
            ),
            (
                #"{"printBlocked": true, "assignments": [{"target": {"groupId": "g"}}]}"#,
                .value(
                    key: "assignments",
                    expected: "objects with an @odata.type in each target, for example"
                        + " #microsoft.graph.groupAssignmentTarget")
            ), (#"{"id": 7}"#, .value(key: "id", expected: "a text, not 7")),
            (
                #"{"appDataEncryptionType": 3}"#,
                .value(key: "appDataEncryptionType", expected: "a text, not 3")
            ),
        ] as [(String, PolicyError)])
    func `anything else is refused as a whole and says why`(_ text: String, _ error: PolicyError) {
        #expect(throws: error) { try PolicyDocument.decode(Array(text.utf8)) }
        #expect(!"\(error)".isEmpty)
    }

    @Test(arguments: [
        "#deviceAppManagement/iosManagedAppProtections(apps(),assignments())/$entity",
        "#deviceAppManagement/iosManagedAppProtections", "#deviceAppManagement/managedAppPolicies",
        "#microsoft.graph.iosManagedAppProtection", "",
        "#Collection(microsoft.graph.managedAppPolicy)",
    ])
    func `a list whose members have no type tells it by its address`(_ address: String) throws {
        let context = #""@odata.context": "https://x/beta/$metadata\#(address)""#
        let text = "{\(context), \"value\": [\(Self.one)]}"
        let document = try #require(try PolicyDocument.decode(Array(text.utf8)).first)
        #expect(document.kind == .protection)
        #expect(document.warnings.isEmpty)
    }

    @Test(arguments: [
        "androidManagedAppProtection", "windowsManagedAppProtection",
        "mdmWindowsInformationProtectionPolicy",
    ])
    func `a policy for another system counts with the words that it shares`(
        _ type: String
    ) throws {
        let text = ##"""
            {"@odata.type": "#microsoft.graph.\##(type)", "minimumPinLength": 6,
             "screenCaptureBlocked": true}
            """##
        let document = try #require(try PolicyDocument.decode(Array(text.utf8)).first)
        #expect(document.rules.minimumPinLength == 6)
        let other = PolicyWarning.otherSystem("#microsoft.graph.\(type)")
        #expect(document.warnings == [other, .unknownKey("screenCaptureBlocked")])
    }

    @Test(arguments: [
        (#""minimumPinLenght": 6"#, "did you mean 'minimumPinLength'?"),
        (#""pinrequired": true"#, "did you mean 'pinRequired'?"),
        (#""assignements": []"#, "did you mean 'assignments'?"),
        (#""somethingElse": 6"#, "is not used by this version"),
        (
            #""appDataEncryptionType": "whenDeviceLock""#,
            "taken as whenDeviceLocked; did you mean 'whenDeviceLocked'?"
        ),
        (#""allowedDataStorageLocations": ["sharepoint"]"#, "did you mean 'sharePoint'?"),
    ])
    func `a mistyped word is told with what may be meant`(
        _ member: String, _ expected: String
    ) throws {
        let text = "{\"printBlocked\": true, \(member)}"
        let document = try #require(try PolicyDocument.decode(Array(text.utf8)).first)
        #expect(document.warnings.map { "\($0)".hasSuffix(expected) } == [true])
    }

    @Test func `no bytes of a cut or damaged document end the process`() {
        let whole = Array(#"{"value": [\#(Self.one), \#(Self.two)]}"#.utf8)
        for count in whole.indices { _ = try? PolicyDocument.decode(Array(whole[..<count])) }
        for index in whole.indices {
            for byte in [0, 0x22, 0x7B, 0xFF] as [UInt8] {
                var changed = whole
                changed[index] = byte
                _ = try? PolicyDocument.decode(changed)
            }
        }
        let deep = Array(repeating: UInt8(ascii: "["), count: 100_000)
        #expect(throws: PolicyError.notJSON) { try PolicyDocument.decode(deep) }
    }

    @Test func `a Graph export keeps its fields and lists what it has besides`() throws {
        let text = ##"""
            {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_9",
             "displayName": "Level 2", "version": "\"c0ffee\"", "pinRequired": true,
             "apps@odata.context": "https://graph.example/x", "apps": [], "createdDateTime": null,
             "android": 1, "later": null,
             "appDataEncryptionType": "afterDeviceRestart",
             "allowedOutboundDataTransferDestinations": "managedApps",
             "allowedInboundDataTransferSources": "allApps"}
            """##
        let document = try #require(try PolicyDocument.decode(Array(text.utf8)).first)
        #expect(document.displayName == "Level 2")
        #expect(document.version == "\"c0ffee\"")
        #expect(document.rules.appDataEncryptionType == .afterDeviceRestart)
        #expect(document.rules.allowedOutboundDataTransferDestinations == .managedApps)
        #expect(document.rules.allowedInboundDataTransferSources == .allApps)
        #expect(document.rules.pinRequired == true)
        #expect(document.warnings == [.unknownKey("android")])
    }

    @Test func `an unknown value becomes the most restrictive one with a warning`() throws {
        let text = """
            {"appDataEncryptionType": "WhenDeviceLocked",
             "allowedOutboundDataTransferDestinations": "someApps",
             "allowedInboundDataTransferSources": ""}
            """
        let document = try #require(try PolicyDocument.decode(Array(text.utf8)).first)
        #expect(document.rules.appDataEncryptionType == .whenDeviceLocked)
        #expect(document.rules.allowedOutboundDataTransferDestinations == .noApps)
        #expect(document.rules.allowedInboundDataTransferSources == .noApps)
        #expect(document.warnings.count == 3)
        #expect(
            document.warnings.first
                == .unknownValue(
                    key: "appDataEncryptionType", value: "WhenDeviceLocked",
                    taken: "whenDeviceLocked"))
    }

    @Test(arguments: [
        "appActionIfMaximumPinRetriesExceeded", "appActionIfAccountIsClockedOut",
        "appActionIfDeviceComplianceRequired", "appActionIfIosDeviceModelNotAllowed",
        "mobileThreatDefenseRemediationAction", "appActionIfUnableToAuthenticateUser",
    ])
    func `an unknown action is a block and never a wipe`(_ key: String) throws {
        let text = #"{"\#(key)": "erase"}"#
        let document = try #require(try PolicyDocument.decode(Array(text.utf8)).first)
        #expect(
            document.warnings == [.unknownValue(key: key, value: "erase", taken: "block")])
        let rules = document.rules
        let actions = [
            rules.appActionIfMaximumPinRetriesExceeded, rules.appActionIfAccountIsClockedOut,
            rules.appActionIfDeviceComplianceRequired, rules.appActionIfIosDeviceModelNotAllowed,
            rules.mobileThreatDefenseRemediationAction, rules.appActionIfUnableToAuthenticateUser,
        ]
        #expect(actions.compactMap(\.self) == [.block])
    }

    @Test(arguments: ["PT0S", "-P1D"])
    func `a period of nothing lifts nobody else's`(_ nothing: String) throws {
        let keys = [
            "periodOfflineBeforeAccessCheck", "periodOnlineBeforeAccessCheck",
            "periodOfflineBeforeWipeIsEnforced",
        ]
        func documents(_ value: String) throws -> [PolicyDocument] {
            let members = keys.map { "\"\($0)\": \"\(value)\"" }.joined(separator: ", ")
            return try PolicyDocument.decode(Array("{\(members)}".utf8))
        }
        let (none, day) = (try documents(nothing), try documents("P1D"))
        for both in [none + day, day + none] {
            let rules = EffectivePolicy.merge(both).rules
            #expect(rules.periodOfflineBeforeAccessCheck?.seconds == 86_400)
            #expect(rules.periodOnlineBeforeAccessCheck?.seconds == 86_400)
            #expect(rules.periodOfflineBeforeWipeIsEnforced?.seconds == 86_400)
        }
        #expect(
            EffectivePolicy.merge(none + none).rules.periodOfflineBeforeAccessCheck?.seconds == 0)
    }
}
