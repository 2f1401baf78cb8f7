import MAMModel
import MAMPolicy
import Testing

/// Every property, with a loose and a strict value: written here from the contract, not from the
/// table.
@Suite struct RuleFieldTests {
    /// Property, looser value, stricter value; both as JSON.
    static let pairs: [(String, String, String)] = [
        ("appDataEncryptionType", #""useDeviceSettings""#, #""afterDeviceRestart""#),
        ("appDataEncryptionType", #""whenDeviceLockedExceptOpenFiles""#, #""whenDeviceLocked""#),
        ("allowedOutboundDataTransferDestinations", #""allApps""#, #""managedApps""#),
        ("allowedOutboundDataTransferDestinations", #""managedApps""#, #""none""#),
        ("allowedInboundDataTransferSources", #""managedApps""#, #""none""#),
        ("saveAsBlocked", "false", "true"),
        ("blockDataIngestionIntoOrganizationDocuments", "false", "true"),
        ("allowedOutboundClipboardSharingLevel", #""allApps""#, #""managedAppsWithPasteIn""#),
        ("allowedOutboundClipboardSharingLevel", #""managedAppsWithPasteIn""#, #""managedApps""#),
        ("allowedOutboundClipboardSharingLevel", #""managedApps""#, #""blocked""#),
        ("allowedOutboundClipboardSharingExceptionLength", "65535", "0"),
        ("filterOpenInToOnlyManagedApps", "false", "true"),
        ("disableProtectionOfManagedOutboundOpenInData", "true", "false"),
        ("protectInboundDataFromUnknownSources", "false", "true"),
        ("managedBrowserToOpenLinksRequired", "false", "true"),
        ("managedBrowser", #""notConfigured""#, #""microsoftEdge""#),
        ("managedUniversalLinks", #"["https://a/*","https://b/*"]"#, #"["https://a/*"]"#),
        ("exemptedUniversalLinks", #"["https://a/*"]"#, "[]"),
        ("dialerRestrictionLevel", #""managedApps""#, #""customApp""#),
        ("dialerRestrictionLevel", #""allApps""#, #""blocked""#),
        ("protectedMessagingRedirectAppType", #""anyApp""#, #""anyManagedApp""#),
        ("protectedMessagingRedirectAppType", #""specificApps""#, #""blocked""#),
        ("printBlocked", "false", "true"), ("contactSyncBlocked", "false", "true"),
        ("dataBackupBlocked", "false", "true"),
        (
            "mamdRecoveryPublicKey",
            #""AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQHMnzFi""#,
            #"""
            ["AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQHMnzFi",\#
            "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgJvwX3v"]
            """#
        ),
        ("notificationRestriction", #""allow""#, #""blockOrganizationalData""#),
        ("notificationRestriction", #""blockOrganizationalData""#, #""block""#),
        ("allowWidgetContentSync", "true", "false"),
        ("thirdPartyKeyboardsBlocked", "false", "true"),
        ("screenCaptureConfigurationState", #""notBlocked""#, #""blocked""#),
        ("genmojiConfigurationState", #""notBlocked""#, #""blocked""#),
        ("writingToolsConfigurationState", #""notBlocked""#, #""blocked""#),
        ("pinRequired", "false", "true"), ("maximumPinRetries", "5", "1"),
        ("appActionIfMaximumPinRetriesExceeded", #""warn""#, #""block""#),
        ("appActionIfMaximumPinRetriesExceeded", #""block""#, #""wipe""#),
        ("simplePinBlocked", "false", "true"), ("mamdLongPinLength", "16", "20"),
        ("minimumPinLength", "4", "8"),
        ("pinCharacterSet", #""numeric""#, #""alphanumericAndSymbol""#),
        ("periodBeforePinReset", #""PT0S""#, #""P365D""#),
        ("periodBeforePinReset", #""P365D""#, #""P90D""#), ("previousPinBlockCount", "0", "24"),
        ("disableAppPinIfDevicePinIsSet", "true", "false"), ("fingerprintBlocked", "false", "true"),
        ("faceIdBlocked", "false", "true"),
        ("pinRequiredInsteadOfBiometricTimeout", #""PT12H""#, #""PT30M""#),
        ("pinRequiredInsteadOfBiometricTimeout", #""PT0S""#, #""PT12H""#),
        ("organizationalCredentialsRequired", "false", "true"),
        ("periodOfflineBeforeAccessCheck", #""P1D""#, #""PT12H""#),
        ("periodOnlineBeforeAccessCheck", #""PT0S""#, #""PT30M""#),
        ("periodOfflineBeforeWipeIsEnforced", #""P90D""#, #""P30D""#),
        ("appActionIfAccountIsClockedOut", #""warn""#, #""block""#),
        ("gracePeriodToBlockAppsDuringOffClockHours", #""PT1H""#, #""PT1M""#),
        ("deviceComplianceRequired", "false", "true"),
        ("appActionIfDeviceComplianceRequired", #""block""#, #""wipe""#),
        ("minimumRequiredOsVersion", #""10.2""#, #""10.10""#),
        ("minimumWarningOsVersion", #""9""#, #""10""#),
        ("minimumWipeOsVersion", #""1""#, #""1.1""#),
        ("maximumRequiredOsVersion", #""10.10""#, #""10.2""#),
        ("maximumWarningOsVersion", #""10""#, #""9""#),
        ("maximumWipeOsVersion", #""1.1""#, #""1""#),
        ("minimumRequiredAppVersion", #""10.2""#, #""10.10""#),
        ("minimumWarningAppVersion", #""9""#, #""10""#),
        ("minimumWipeAppVersion", #""1""#, #""2""#),
        ("minimumRequiredSdkVersion", #""10.2""#, #""10.10""#),
        ("minimumWarningSdkVersion", #""9""#, #""10""#),
        ("minimumWipeSdkVersion", #""1""#, #""2""#),
        ("minimumRequiredOsVersion", #""99""#, #""iPadOS""#),
        ("maximumRequiredOsVersion", #""1""#, #""iPadOS""#),
        ("allowedIosDeviceModels", #""iPad;iPhone""#, #""iPhone""#),
        ("appActionIfIosDeviceModelNotAllowed", #""block""#, #""wipe""#),
        ("maximumAllowedDeviceThreatLevel", #""notConfigured""#, #""high""#),
        ("maximumAllowedDeviceThreatLevel", #""high""#, #""medium""#),
        ("maximumAllowedDeviceThreatLevel", #""medium""#, #""low""#),
        ("maximumAllowedDeviceThreatLevel", #""low""#, #""secured""#),
        ("mobileThreatDefenseRemediationAction", #""block""#, #""wipe""#),
        ("appActionIfUnableToAuthenticateUser", #""block""#, #""wipe""#),
        ("allowedDataStorageLocations", #"["oneDriveForBusiness","egnyte"]"#, #"["egnyte"]"#),
        ("allowedDataIngestionLocations", #"["sharePoint","camera"]"#, "[]"),
        (
            "exemptedAppProtocols", #"[{"name":"a","value":"skype"},{"name":"a","value":"tel"}]"#,
            #"[{"name":"a","value":"tel"}]"#
        ),
    ]

    @Test(arguments: pairs)
    func `of two values the stricter one is in force`(
        _ key: String, _ loose: String, _ strict: String
    ) throws {
        let (one, other) = try (document(key, loose), document(key, strict))
        for merged in [[one, other], [other, one], [one, other, PolicyDocument()]] {
            #expect(shown(key, .merge(merged)) == strict)
        }
        #expect(shown(key, .merge([one])) == loose)
        #expect(shown(key, .merge([PolicyDocument()])) == nil)
        let locked = EffectivePolicy.lockDown(of: [.merge([one]), .merge([other])])
        #expect(shown(key, locked) == strict)
    }

    /// Other than by restriction: one of the two, the same in any order.
    @Test(arguments: [
        "customBrowserProtocol", "customDialerAppProtocol", "messagingRedirectAppUrlScheme",
        "mobileThreatDefensePartnerPriority",
    ])
    func `of two texts one is in force in any order`(_ key: String) throws {
        let (one, other) = try (document(key, #""a""#), document(key, #""b""#))
        #expect(shown(key, .merge([one, other])) == #""a""#)
        #expect(shown(key, .merge([other, one])) == #""a""#)
        let empty = try merge(#"{"\#(key)": "", "printBlocked": true}"#)
        #expect(shown(key, empty) == nil)
    }

    @Test func `exceptions of a document that blocks nothing shorten nobody's`() throws {
        let blocked = #"{"saveAsBlocked": true, "allowedDataStorageLocations": ["box", "egnyte"]}"#
        let open = #"{"saveAsBlocked": false, "allowedDataStorageLocations": []}"#
        let bare = #"{"saveAsBlocked": true}"#
        let list = "allowedDataStorageLocations"
        #expect(try shown(list, merge(blocked, open)) == #"["box","egnyte"]"#)
        #expect(try shown(list, merge(open, blocked)) == #"["box","egnyte"]"#)
        #expect(try shown(list, merge(blocked, bare)) == "[]")
        let length = "allowedOutboundClipboardSharingExceptionLength"
        let clipped =
            #"{"allowedOutboundClipboardSharingLevel": "blocked", "\#(length)": 50}"#
        let free = #"{"allowedOutboundClipboardSharingLevel": "allApps", "\#(length)": 0}"#
        #expect(try shown(length, merge(clipped, free)) == "50")
        let inward =
            #"""
            {"allowedOutboundDataTransferDestinations": "none", \#
            "exemptedAppProtocols": [{"name": "x", "value": "TEL; skype ;;tel"}]}
            """#
        #expect(
            try shown("exemptedAppProtocols", merge(inward, Self.other))
                == #"[{"name":"x","value":"skype"},{"name":"x","value":"tel"}]"#)
    }

    /// It asks nothing of what the tests are about.
    private static let other = #"{"contactSyncBlocked": false}"#

    /// What one document asks, what another one says, a property, and what it comes to; nil: as
    /// nobody states it.
    @Test(
        arguments: [
            (#""pinRequired": true"#, #""minimumPinLength": 1"#, "minimumPinLength", "4"),
            (#""pinRequired": true"#, #""minimumPinLength": 6"#, "minimumPinLength", "6"),
            (#""pinRequired": false"#, #""minimumPinLength": 1"#, "minimumPinLength", "1"),
            (
                #""simplePinBlocked": true"#, #""mamdLongPinLength": 16"#, "mamdLongPinLength",
                "65535"
            ),
            (#""pinRequired": true"#, #""maximumPinRetries": 60000"#, "maximumPinRetries", "5"),
            (
                #""periodOfflineBeforeWipeIsEnforced": "P90D""#, #""maximumPinRetries": 60000"#,
                "maximumPinRetries", "5"
            ),
            (
                #""periodOfflineBeforeWipeIsEnforced": "PT0S""#, #""maximumPinRetries": 60000"#,
                "maximumPinRetries", "60000"
            ),
            (
                #""deviceComplianceRequired": true"#,
                #""appActionIfDeviceComplianceRequired": "warn""#,
                "appActionIfDeviceComplianceRequired", #""block""#
            ),
            (
                #""deviceComplianceRequired": true"#,
                #""appActionIfDeviceComplianceRequired": "wipe""#,
                "appActionIfDeviceComplianceRequired", #""wipe""#
            ),
            (
                #""allowedIosDeviceModels": "x""#,
                #""appActionIfIosDeviceModelNotAllowed": "warn""#,
                "appActionIfIosDeviceModelNotAllowed", #""block""#
            ),
            (
                #""appActionIfAccountIsClockedOut": "warn""#,
                #""gracePeriodToBlockAppsDuringOffClockHours": "PT8H""#,
                "gracePeriodToBlockAppsDuringOffClockHours", #""PT0S""#
            ),
            (
                #""allowedOutboundDataTransferDestinations": "managedApps""#,
                #""disableProtectionOfManagedOutboundOpenInData": true"#,
                "disableProtectionOfManagedOutboundOpenInData", "false"
            ),
            (
                #""allowedOutboundDataTransferDestinations": "managedApps""#,
                #"""
                "allowedOutboundDataTransferDestinations": "none", \#
                "exemptedUniversalLinks": ["https://a/*"]
                """#,
                "exemptedUniversalLinks", "[]"
            ),
            (
                #""managedBrowserToOpenLinksRequired": true"#,
                #"""
                "allowedOutboundDataTransferDestinations": "none", \#
                "managedUniversalLinks": ["https://a/*"]
                """#,
                "managedUniversalLinks", "[]"
            ),
            (
                #""allowedOutboundDataTransferDestinations": "managedApps""#,
                #"""
                "allowedOutboundDataTransferDestinations": "none", \#
                "exemptedAppProtocols": [{"name": "x", "value": "foo;skype"}]
                """#,
                "exemptedAppProtocols", #"[{"name":"Default","value":"skype"}]"#
            ),
            (
                #""allowedOutboundDataTransferDestinations": "managedApps""#,
                #""exemptedAppProtocols": [{"name": "x", "value": "foo"}]"#,
                "exemptedAppProtocols", nil
            ),
            (
                #""managedBrowserToOpenLinksRequired": true"#,
                #""managedBrowserToOpenLinksRequired": true, "customBrowserProtocol": "foo""#,
                "customBrowserProtocol", #""microsoft-edge-http""#
            ),
            (
                #""managedBrowserToOpenLinksRequired": true, "customBrowserProtocol": "zoo""#,
                #""customBrowserProtocol": "foo""#, "customBrowserProtocol", #""zoo""#
            ),
            (
                #""managedBrowserToOpenLinksRequired": true, "customBrowserProtocol": "~""#,
                #""managedBrowserToOpenLinksRequired": true, "customBrowserProtocol": "foo""#,
                "customBrowserProtocol", #""~""#
            ),
            (
                #""dialerRestrictionLevel": "customApp""#,
                #""dialerRestrictionLevel": "customApp", "customDialerAppProtocol": "foo""#,
                "customDialerAppProtocol", nil
            ),
        ] as [(String, String, String, String?)])
    func `what a document asks for and leaves open is its default`(
        _ asked: String, _ stated: String, _ key: String, _ expected: String?
    ) throws {
        let (one, other) = ("{\(asked)}", "{\(stated)}")
        #expect(try shown(key, merge(one, other)) == expected)
        #expect(try shown(key, merge(other, one)) == expected)
        #expect(try shown(key, merge(one, other, Self.other, one)) == expected)
        let inSteps = EffectivePolicy.lockDown(of: [try merge(one, Self.other), try merge(other)])
        #expect(try inSteps == merge(one, Self.other, other))
    }

    @Test(arguments: StricterTests.asking)
    func `a document alone is what it says`(_ text: String) throws {
        let document = try #require(try PolicyDocument.decode(Array(text.utf8)).first)
        #expect(EffectivePolicy.merge([document]).rules == document.rules)
        #expect(EffectivePolicy.merge([document, document]).rules == document.rules)
    }

    @Test func `a default is told to be from the document that means it`() throws {
        let policy = try merge(
            #"{"displayName": "A", "pinRequired": true}"#,
            #"{"displayName": "B", "minimumPinLength": 1}"#,
            #"{"displayName": "C", "minimumPinLength": 4}"#)
        #expect(
            policy.rulesJSON.object?["minimumPinLength"] == [
                "value": 4, "from": ["A", "C"], "looser": [["document": "B", "value": 1]],
            ])
    }

    @Test func `lists have in common what both have, in any case and order`() throws {
        let one = #"{"allowedIosDeviceModels": "iPhone 15; iPad Pro ;;iphone 15"}"#
        let other = #"{"allowedIosDeviceModels": "IPHONE 15;iPod"}"#
        let none = #"{"allowedIosDeviceModels": "", "printBlocked": true}"#
        #expect(
            try shown("allowedIosDeviceModels", merge(one, other)) == #""IPHONE 15""#)
        #expect(
            try shown("allowedIosDeviceModels", merge(one)) == #""iPad Pro;iPhone 15""#)
        #expect(
            try shown("allowedIosDeviceModels", merge(one, #"{"allowedIosDeviceModels": "x"}"#))
                == #"";""#)
        #expect(
            try shown("allowedIosDeviceModels", merge(none)) == nil)
    }

    @Test func `it is told where a rule is from`() throws {
        let policy = try merge(
            #"""
            {"displayName": "A", "minimumPinLength": 4, "saveAsBlocked": true, \#
            "allowedDataStorageLocations": ["box", "egnyte"]}
            """#,
            #"""
            {"displayName": "B", "minimumPinLength": 6, "saveAsBlocked": true, \#
            "allowedDataStorageLocations": ["box", "sharePoint"]}
            """#,
            #"{"displayName": "C", "minimumPinLength": 6}"#)
        let rules = policy.rulesJSON.object
        #expect(
            rules?["minimumPinLength"] == [
                "value": 6, "from": ["B", "C"], "looser": [["document": "A", "value": 4]],
            ])
        #expect(
            rules?["allowedDataStorageLocations"] == [
                "value": ["box"], "from": ["A", "B"], "looser": [],
            ])
        #expect(rules?.count == 3)
        #expect(policy.sources.count == 3)
    }

    private func document(_ key: String, _ value: String) throws -> PolicyDocument {
        let documents = try PolicyDocument.decode(Array(#"{"\#(key)": \#(value)}"#.utf8))
        return try #require(documents.first)
    }

    private func merge(_ texts: String...) throws -> EffectivePolicy {
        .merge(try texts.flatMap { try PolicyDocument.decode(Array($0.utf8)) })
    }

    private func shown(_ key: String, _ policy: EffectivePolicy) -> String? {
        let value = policy.rulesJSON.object?[key]?.object?["value"]
        return value.map { String(decoding: $0.encoded(), as: UTF8.self) }
    }
}
