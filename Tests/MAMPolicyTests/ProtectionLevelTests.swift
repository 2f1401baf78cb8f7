import FoundationEssentials
import MAMModel
import MAMPolicy
import Testing

/// Exports of the three levels of the data protection framework, and what each of them comes to.
@Suite struct ProtectionLevelTests {
    /// What all levels ask.
    private static let common: [String: JSONValue] = [
        "periodOfflineBeforeAccessCheck": "PT12H", "periodOnlineBeforeAccessCheck": "PT30M",
        "periodOfflineBeforeWipeIsEnforced": "P90D", "organizationalCredentialsRequired": false,
        "deviceComplianceRequired": true, "pinRequired": true, "maximumPinRetries": 5,
        "pinCharacterSet": "numeric", "disableAppPinIfDevicePinIsSet": false,
        "fingerprintBlocked": false, "faceIdBlocked": false, "contactSyncBlocked": false,
        "appDataEncryptionType": "whenDeviceLocked",
    ]

    /// What levels 2 and 3 ask.
    private static let managed: [String: JSONValue] = [
        "allowedOutboundDataTransferDestinations": "managedApps",
        "allowedOutboundClipboardSharingExceptionLength": 0, "dataBackupBlocked": true,
        "managedBrowserToOpenLinksRequired": true, "managedBrowser": "microsoftEdge",
        "saveAsBlocked": true,
        "allowedDataStorageLocations": ["oneDriveForBusiness", "sharePoint"],
        "appActionIfMaximumPinRetriesExceeded": "block", "previousPinBlockCount": 0,
        "pinRequiredInsteadOfBiometricTimeout": "PT12H",
        "notificationRestriction": "blockOrganizationalData",
        "disableProtectionOfManagedOutboundOpenInData": false,
        "protectInboundDataFromUnknownSources": false, "exemptedUniversalLinks": [],
        "minimumRequiredOsVersion": "17.6", "mobileThreatDefenseRemediationAction": "block",
        "exemptedAppProtocols": .array(
            [
                "app-settings", "calshow", "itms", "itms-apps", "itms-appss", "itms-services",
                "itmss", "skype",
            ].map { ["name": "Default", "value": $0] }),
    ]

    private static let own: [Int: [String: JSONValue]] = [
        1: [
            "allowedInboundDataTransferSources": "allApps",
            "allowedOutboundDataTransferDestinations": "allApps",
            "allowedOutboundClipboardSharingLevel": "allApps", "dataBackupBlocked": false,
            "managedBrowserToOpenLinksRequired": false, "managedBrowser": "notConfigured",
            "saveAsBlocked": false, "allowedDataStorageLocations": [], "simplePinBlocked": false,
            "minimumPinLength": 4, "periodBeforePinReset": "PT0S", "printBlocked": false,
        ],
        2: [
            "allowedInboundDataTransferSources": "allApps",
            "allowedOutboundClipboardSharingLevel": "managedAppsWithPasteIn",
            "appActionIfDeviceComplianceRequired": "block",
            "blockDataIngestionIntoOrganizationDocuments": false,
            "allowedDataIngestionLocations": [
                "oneDriveForBusiness", "sharePoint", "camera", "photoLibrary",
            ],
            "simplePinBlocked": false, "minimumPinLength": 4, "periodBeforePinReset": "PT0S",
            "printBlocked": false, "thirdPartyKeyboardsBlocked": false,
            "filterOpenInToOnlyManagedApps": false, "dialerRestrictionLevel": "allApps",
            "protectedMessagingRedirectAppType": "anyApp",
            "managedUniversalLinks": [
                "https://*.sharepoint.com/*", "https://teams.microsoft.com/l/*",
            ],
            "appActionIfUnableToAuthenticateUser": "block",
            "appActionIfIosDeviceModelNotAllowed": "block",
            "maximumAllowedDeviceThreatLevel": "notConfigured",
        ],
        3: [
            "allowedInboundDataTransferSources": "managedApps",
            "allowedOutboundClipboardSharingLevel": "managedApps",
            "appActionIfDeviceComplianceRequired": "wipe",
            "blockDataIngestionIntoOrganizationDocuments": true,
            "allowedDataIngestionLocations": ["oneDriveForBusiness", "sharePoint", "camera"],
            "simplePinBlocked": true, "minimumPinLength": 6, "periodBeforePinReset": "P365D",
            "printBlocked": true, "thirdPartyKeyboardsBlocked": true,
            "filterOpenInToOnlyManagedApps": true, "dialerRestrictionLevel": "managedApps",
            "protectedMessagingRedirectAppType": "anyManagedApp",
            "managedUniversalLinks": ["https://teams.microsoft.com/l/*"],
            "minimumWipeOsVersion": "16.0", "appActionIfUnableToAuthenticateUser": "wipe",
            "maximumAllowedDeviceThreatLevel": "secured", "allowWidgetContentSync": false,
            "screenCaptureConfigurationState": "blocked", "genmojiConfigurationState": "blocked",
            "writingToolsConfigurationState": "blocked",
        ],
    ]

    @Test(arguments: [(1, 25), (2, 47), (3, 51)])
    func `an exported level gives exactly its settings`(_ level: Int, _ count: Int) throws {
        var expected = Self.common
        if level > 1 { expected.merge(Self.managed) { $1 } }
        expected.merge(try #require(Self.own[level])) { $1 }
        let found = values(.merge(try documents(level)))
        for key in Set(expected.keys).union(found.keys).sorted() {
            #expect(found[key] == expected[key], "\(key)")
        }
        #expect(found.count == count)
    }

    @Test(arguments: [1, 2, 3])
    func `an exported level is read without a remark`(_ level: Int) throws {
        #expect(try documents(level).flatMap(\.warnings).isEmpty)
        #expect(PolicyLint.check(try bytes(level)).isEmpty)
    }

    @Test func `all levels at once are the highest, but for what only level 2 speaks of`() throws {
        let all = EffectivePolicy.merge(try [2, 1, 3].flatMap(documents))
        var third = values(.merge(try documents(3)))
        third["appActionIfIosDeviceModelNotAllowed"] = "block"
        #expect(values(all) == third)
    }

    private func documents(_ level: Int) throws -> [PolicyDocument] {
        try PolicyDocument.decode(bytes(level))
    }

    private func bytes(_ level: Int) throws -> [UInt8] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        return Array(
            try Data(contentsOf: tests.appending(path: "Fixtures/policies/level-\(level).json")))
    }

    private func values(_ policy: EffectivePolicy) -> [String: JSONValue] {
        (policy.rulesJSON.object ?? [:]).compactMapValues { $0.object?["value"] }
    }
}
