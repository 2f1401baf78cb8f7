import Glibc
import MAMModel
import MAMPolicy
import TestSupport
import Testing

@Suite struct PolicyLintTests {
    /// A document, and for each remark its line, whether it is an error, and its key.
    @Test(
        arguments: [
            ("{\n \"pinRequired\": true\n}", []),
            ("{\n \"pinRequired\": 1\n}", ["2 error pinRequired"]),
            ("{\n \"a\": 1,\n\n \"b\": 2\n}", ["1 error -", "2 warning a", "4 warning b"]),
            (
                "{\"pinRequired\": 1,\n\"saveAsBlocked\": 2,\n\"pinCharacterSet\": \"x\"}",
                ["1 error pinRequired", "2 error saveAsBlocked", "3 warning pinCharacterSet"]
            ),
            (
                "[{\"pinRequired\": true},\n {\"x\": {\"pinRequired\": 1},\n \"pinRequired\": 1}]",
                ["2 warning x", "3 error pinRequired"]
            ),
            ("{\"value\": [\n{},\n{\"pinRequired\": 1}]}", ["2 error -", "3 error pinRequired"]),
            ("{\"value\":\n{\"pinRequired\": 1}}", ["2 error pinRequired"]),
            (
                "{\"a@odata.type\": \"}\", \"printBlocked\": true,\n\"printBlocked\": true}",
                ["2 error printBlocked"]
            ),
            (
                "{\"a\": {\"b\": 1},\n\"a\": {\n\"b\": 2}}",
                ["1 error -", "1 warning a", "2 error a", "3 error b"]
            ),
            ("{\"\": {\"a\": 1},\n\"a\": 2}", ["1 error -", "1 warning ", "2 warning a"]),
            (
                "{\"a\": {\"b\": [{\"c\": 1}]},\n\"a.b[0]\": {\"c\": 1}}",
                ["1 error -", "1 warning a", "2 warning a.b[0]"]
            ),
            ("{\n\"@odata.type\": \"#other\"}", ["2 error @odata.type"]),
            ("{\n\"pinRequired\": tru\n}", ["2 error -"]),
            ("{\n\n\"pinRequired\" true}", ["3 error -"]),
            ("{\"a\": 1,\n}", ["1 error -", "1 warning a", "2 warning -"]),
            (
                "{\"a\": {\"b\": [1,],},\n\"a\": 1}",
                ["1 error -", "1 warning a", "1 warning -", "2 error a"]
            ),
            ("{\"a\": \"x\n\"}", ["1 error -"]),
            ("[1,\n2", ["2 error -"]), ("{}\n{}", ["2 error -"]), ("", ["1 error -"]),
            ("{\"a\": \"x", ["1 error -"]), ("7", ["nil error -"]), ("[]", ["nil error -"]),
            ("<plist><dict><key>a</key><true/></dict></plist>", ["nil error -", "nil warning a"]),
            ("<plist>", ["nil error -"]), ("{\n\"IntuneMAMPolicy.PINEnabled\": 1}", ["1 error -"]),
        ] as [(String, [String])])
    func `each remark names line, weight and key`(_ text: String, _ expected: [String]) {
        let found = PolicyLint.check(Array(text.utf8)).map {
            "\($0.line.map { "\($0)" } ?? "nil") \($0.severity.rawValue) \($0.key ?? "-")"
        }
        #expect(found == expected)
    }

    @Test func `the column is where the key or the error stands`() throws {
        let wrong = PolicyLint.check(Array("{\n  \"pinRequired\": 1}".utf8))
        #expect(wrong.first?.column == 3)
        let broken = PolicyLint.check(Array("{\"a\": 1 \"b\": 2}".utf8))
        #expect(broken.first?.column == 9)
        #expect(broken.first?.reason == "it is not JSON: expected a comma or }")
    }

    @Test func `UTF-16 without a mark is refused for being that`() {
        let bytes = "{}".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let found = PolicyLint.check(bytes)
        #expect(found.map(\.severity) == [.error])
        #expect(found.first?.reason.contains("byte order mark") == true)
    }

    private static let sends = #""allowedOutboundDataTransferDestinations""#
    private static let receives = #""allowedInboundDataTransferSources""#

    /// Members of a document, and the rule that is remarked upon.
    @Test(arguments: [
        (#""saveAsBlocked": true"#, "saveAsBlocked"),
        (#"\#(sends): "none", "saveAsBlocked": false"#, "saveAsBlocked"),
        (#"\#(sends): "managedApps", "saveAsBlocked": true"#, ""),
        (
            #"\#(sends): "none", "allowedDataStorageLocations": ["box"]"#,
            "allowedDataStorageLocations"
        ),
        (
            #""blockDataIngestionIntoOrganizationDocuments": true"#,
            "blockDataIngestionIntoOrganizationDocuments"
        ),
        (#"\#(receives): "managedApps", "blockDataIngestionIntoOrganizationDocuments": true"#, ""),
        (
            #"\#(receives): "none", "blockDataIngestionIntoOrganizationDocuments": false"#,
            "blockDataIngestionIntoOrganizationDocuments"
        ), (#""filterOpenInToOnlyManagedApps": true"#, "filterOpenInToOnlyManagedApps"),
        (#"\#(sends): "managedApps", "filterOpenInToOnlyManagedApps": true"#, ""),
        (
            #""disableProtectionOfManagedOutboundOpenInData": true"#,
            "disableProtectionOfManagedOutboundOpenInData"
        ),
        (#"\#(sends): "managedApps", "disableProtectionOfManagedOutboundOpenInData": true"#, ""),
        (#""protectInboundDataFromUnknownSources": true"#, ""),
        (
            #"\#(receives): "managedApps", "protectInboundDataFromUnknownSources": true"#,
            "protectInboundDataFromUnknownSources"
        ), (#""dialerRestrictionLevel": "customApp""#, "dialerRestrictionLevel"),
        (#""dialerRestrictionLevel": "customApp", "customDialerAppProtocol": "x""#, ""),
        (
            #""protectedMessagingRedirectAppType": "specificApps""#,
            "protectedMessagingRedirectAppType"
        ),
        (
            #"""
            "pinRequiredInsteadOfBiometricTimeout": "PT30M",\#
             "periodOnlineBeforeAccessCheck": "PT30M"
            """#,
            "pinRequiredInsteadOfBiometricTimeout"
        ), (#""periodOfflineBeforeAccessCheck": "PT29M""#, "periodOfflineBeforeAccessCheck"),
        (#""periodOfflineBeforeAccessCheck": "PT30M""#, ""),
        (#""periodOfflineBeforeWipeIsEnforced": "PT0S""#, "periodOfflineBeforeWipeIsEnforced"),
        (#""periodOfflineBeforeWipeIsEnforced": "P90D""#, ""),
        (
            #""mobileThreatDefenseRemediationAction": "warn""#,
            "mobileThreatDefenseRemediationAction"
        ), (#""appActionIfAccountIsClockedOut": "wipe""#, "appActionIfAccountIsClockedOut"),
    ])
    func `rules that depend on others are checked together`(_ members: String, _ key: String) {
        // Beside a rule that decides: what restricts nothing is remarked upon, too.
        let found = PolicyLint.check(Array(#"{"printBlocked": true, \#(members)}"#.utf8))
        #expect(found.compactMap(\.key) == (key.isEmpty ? [] : [key]))
        #expect(found.allSatisfy { $0.severity == .warning && $0.reason.hasPrefix(key) })
    }

    @Test func `nothing that is cut or damaged ends the process`() {
        let whole = Array("[{\"a\": [1, \"\\u00e9\\\"\"], \"pinRequired\": false}]".utf8)
        for count in whole.indices { #expect(!PolicyLint.check(Array(whole[..<count])).isEmpty) }
        for index in whole.indices {
            for byte in [0, 0x22, 0x5C, 0x7B, 0xFF] as [UInt8] {
                var changed = whole
                changed[index] = byte
                _ = PolicyLint.check(changed)
            }
        }
        #expect(PolicyLint.check(Array(repeating: 0x5B, count: 100_000)).count == 1)
    }

    /// Beside the same under a short key, so that it does not matter how fast the machine is.
    @Test func `a long key costs no more for what stands below it`() {
        let members = (0..<4000).map { "\"m\($0)\": [{\"n\": \($0)}]" }.joined(separator: ",\n")
        let seconds = [1, 900_000].map { length in
            let key = String(repeating: "k", count: length)
            let bytes = Array("{\"\(key)\": {\(members)}, \"pinRequired\": true}".utf8)
            return processorSeconds { #expect(PolicyLint.check(bytes).map(\.key) == [key]) }
        }
        #expect(seconds[1] < 5 * seconds[0])
    }
}
