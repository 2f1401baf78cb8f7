import MAMModel
import MAMPolicy
import Testing

@Suite struct LegacyPolicyTests {
    /// The SDK's defaults, in Graph's words.
    @Test func `a key that is not there has the default of the SDK`() throws {
        let document = try decode(#"{"IntuneMAMPolicy.PINEnabled": 1}"#)
        let rules = document.rules
        #expect(rules.managedBrowserToOpenLinksRequired == true && rules.dataBackupBlocked == true)
        #expect(rules.allowedOutboundDataTransferDestinations == .managedApps)
        #expect(rules.allowedInboundDataTransferSources == .managedApps)
        #expect(rules.allowedOutboundClipboardSharingLevel == .managedApps)
        #expect(rules.contactSyncBlocked == false && rules.printBlocked == false)
        #expect(rules.thirdPartyKeyboardsBlocked == false && rules.saveAsBlocked == true)
        #expect(rules.allowedDataStorageLocations == [.oneDriveForBusiness, .sharePoint])
        #expect(rules.pinRequired == true && rules.simplePinBlocked == false)
        #expect(rules.disableAppPinIfDevicePinIsSet == false)
        #expect(rules.minimumPinLength == 4 && rules.maximumPinRetries == 5)
        #expect(rules.pinCharacterSet == .numeric)
        #expect(rules.periodBeforePinReset?.seconds == 7_776_000)
        #expect(rules.pinRequiredInsteadOfBiometricTimeout == nil)
        #expect(rules.faceIdBlocked == true && rules.fingerprintBlocked == true)
        #expect(rules.organizationalCredentialsRequired == false)
        #expect(rules.deviceComplianceRequired == true)
        #expect(rules.periodOnlineBeforeAccessCheck?.seconds == 1800)
        #expect(rules.periodOfflineBeforeAccessCheck?.seconds == 43_200)
        #expect(rules.appDataEncryptionType == .whenDeviceLockedExceptOpenFiles)
        #expect(rules.disableProtectionOfManagedOutboundOpenInData == true)
        #expect(rules.protectInboundDataFromUnknownSources == false)
        #expect(rules.filterOpenInToOnlyManagedApps == false)
        #expect(document.assignments.isEmpty && document.warnings.isEmpty)
    }

    /// Key, value, and the rule it becomes, since most of the numbers run the other way than
    /// Graph's.
    @Test(arguments: [
        ("FileEncryptionLevel", 0, "appDataEncryptionType", "whenDeviceLocked"),
        ("FileEncryptionLevel", 1, "appDataEncryptionType", "whenDeviceLockedExceptOpenFiles"),
        ("FileEncryptionLevel", 2, "appDataEncryptionType", "afterDeviceRestart"),
        ("FileEncryptionLevel", 3, "appDataEncryptionType", "useDeviceSettings"),
        ("AppSharingToLevel", 0, "allowedOutboundDataTransferDestinations", "none"),
        ("AppSharingToLevel", 2, "allowedOutboundDataTransferDestinations", "allApps"),
        ("AppSharingFromLevel", 0, "allowedInboundDataTransferSources", "none"),
        ("AppSharingFromLevel", 2, "allowedInboundDataTransferSources", "allApps"),
        ("ClipboardSharingLevel", 0, "allowedOutboundClipboardSharingLevel", "blocked"),
        ("ClipboardSharingLevel", 1, "allowedOutboundClipboardSharingLevel", "managedApps"),
        (
            "ClipboardSharingLevel", 2, "allowedOutboundClipboardSharingLevel",
            "managedAppsWithPasteIn"
        ), ("ClipboardSharingLevel", 3, "allowedOutboundClipboardSharingLevel", "allApps"),
        ("PINCharacterType", 0, "pinCharacterSet", "alphanumericAndSymbol"),
        ("PINCharacterType", 1, "pinCharacterSet", "numeric"),
        ("MaxPinRetryExceededAction", 0, "appActionIfMaximumPinRetriesExceeded", "block"),
        ("MaxPinRetryExceededAction", 1, "appActionIfMaximumPinRetriesExceeded", "wipe"),
        ("DialerRestrictionLevel", 0, "dialerRestrictionLevel", "blocked"),
        ("DialerRestrictionLevel", 1, "dialerRestrictionLevel", "customApp"),
        ("DialerRestrictionLevel", 3, "dialerRestrictionLevel", "allApps"),
    ])
    func `numbers become names`(_ name: String, _ number: Int, _ rule: String, _ word: String)
        throws
    {
        let policy = EffectivePolicy.merge([try decode("{\"IntuneMAMPolicy.\(name)\": \(number)}")])
        let rules = policy.rulesJSON.object
        #expect(rules?[rule]?.object?["value"] == .string(word))
    }

    @Test func `the other keys are read from preferences of a property list too`() throws {
        let keys = [
            ("NonBioPassTimeOutRequired", "<true/>"), ("NonBioPassTimeout", "<integer>5</integer>"),
            ("Location1", "<false/>"), ("Location4", "<true/>"),
            ("Location32", "<integer>1</integer>"),
            ("MinOsVersion", "<string>17</string>"), ("Strange", "<true/>"),
            ("IntuneIdentityUPN", "<string>ann@contoso.com</string>"),
        ]
        let items = keys.map {
            """
            <dict><key>Key</key><string>IntuneMAMPolicy.\($0)</string>
            <key>DefaultValue</key>\($1)</dict>
            """
        }
        let document = try decode(
            """
            <plist><dict><key>PreferenceSpecifiers</key>
            <array><dict/>\(items.joined())</array></dict></plist>
            """
        )
        #expect(document.rules.pinRequiredInsteadOfBiometricTimeout?.seconds == 300)
        #expect(document.rules.allowedDataStorageLocations == [.sharePoint, .box, .localStorage])
        #expect(document.rules.minimumRequiredOsVersion == "17")
        #expect(document.warnings == [.unknownKey("IntuneMAMPolicy.Strange")])
        let book = PolicyBook(documents: [document])
        #expect(book.covers(try Identity(name: "ANN@contoso.com")))
        #expect(!book.covers(try Identity(name: "bob@contoso.com")))
    }

    @Test(arguments: [
        #"{"IntuneMAMPolicy.FileEncryptionLevel": 4}"#, #"{"IntuneMAMPolicy.PINNumRetry": 0}"#,
        #"{"IntuneMAMPolicy.PINEnabled": "yes"}"#, #"{"IntuneMAMPolicy.PINExpiryDays": -1}"#,
        #"{"IntuneMAMPolicy.MinOsVersion": 17}"#,
    ])
    func `wrong values are refused`(_ text: String) {
        #expect(throws: PolicyError.self) { try decode(text) }
    }

    @Test func `it is refused among an organisation's policies`() {
        let text = #"{"IntuneMAMPolicy.PINEnabled": 1}"#
        #expect(throws: PolicyError.legacy) { try PolicyDocument.decode(Array(text.utf8)) }
    }

    @Test func `names without the prefix count`() throws {
        let document = try decode(#"{"AppSharingFromLevel": 0, "PINEnabled": 0, "Strange": 1}"#)
        #expect(document.rules.allowedInboundDataTransferSources == .noApps)
        #expect(document.rules.pinRequired == false)
        #expect(document.warnings == [.unknownKey("Strange")])
    }

    private func decode(_ text: String) throws -> PolicyDocument {
        let documents = try PolicyDocument.decode(Array(text.utf8), acceptsLegacy: true)
        return try #require(documents.first)
    }
}
