// The properties of an app protection: one table for reading, merging, telling where a value is from, and showing it.

internal import MAMFormat
internal import MAMModel

/// One property of ``PolicyRules``.
struct RuleField: Sendable {
    let key: String
    let read:
        @Sendable (JSONValue, inout PolicyRules, inout [PolicyWarning]) throws(PolicyError) ->
            Void
    /// Sets the property to the most restrictive one of all.
    let merge: @Sendable ([PolicyRules], inout PolicyRules) -> Void
    /// Null: not configured.
    let show: @Sendable (PolicyRules) -> JSONValue
    /// Whether what these rules say of the property counts beside others that restrict.
    let counts: @Sendable (PolicyRules) -> Bool

    init<Value: Sendable>(
        _ key: String, _ path: any WritableKeyPath<PolicyRules, Value?> & Sendable,
        _ shape: Shape<Value?>, _ strictness: Strictness<Value>,
        _ exception: Exception<Value>? = nil
    ) {
        let counts: @Sendable (PolicyRules) -> Bool = { exception?.restricts($0) ?? true }
        self.key = key
        self.counts = counts
        read = { value, rules, warnings throws(PolicyError) in
            rules[keyPath: path] = try shape.decode(value, key: key, &warnings)
        }
        show = { shape.write($0[keyPath: path]) }
        merge = { all, merged in
            let restricting = all.filter(counts)
            let values =
                restricting.isEmpty
                ? all.map { $0[keyPath: path] }
                : restricting.map { $0[keyPath: path] ?? exception?.none }
            let stated = values.compactMap(\.self)
            merged[keyPath: path] = stated.first.map {
                stated.dropFirst().reduce($0, strictness.combine)
            }
        }
    }

    /// Of a property that lists exceptions from another one: where the other does not restrict, everything is
    /// allowed, and its list of exceptions, which then means nothing, must not shorten anybody else's.
    struct Exception<Value: Sendable>: Sendable {
        let restricts: @Sendable (PolicyRules) -> Bool
        /// What it means that a document which does restrict has no list; nil for "not said".
        let none: Value?
    }

    static let all: [RuleField] = [
        transfers, links, functions, pin, biometrics, time, device, versions,
    ].flatMap(\.self)

    private static let transfers: [RuleField] = [
        choice("appDataEncryptionType", \.appDataEncryptionType),
        choice(
            "allowedOutboundDataTransferDestinations", \.allowedOutboundDataTransferDestinations),
        choice("allowedInboundDataTransferSources", \.allowedInboundDataTransferSources),
        flag("saveAsBlocked", \.saveAsBlocked),
        RuleField(
            "allowedDataStorageLocations", \.allowedDataStorageLocations,
            Shape<StorageLocation>.choices.optional, .common(),
            Exception(restricts: { $0.saveAsBlocked == true }, none: [])),
        flag(
            "blockDataIngestionIntoOrganizationDocuments",
            \.blockDataIngestionIntoOrganizationDocuments),
        RuleField(
            "allowedDataIngestionLocations", \.allowedDataIngestionLocations,
            Shape<IngestionLocation>.choices.optional, .common(),
            Exception(
                restricts: { $0.blockDataIngestionIntoOrganizationDocuments == true }, none: [])),
        choice("allowedOutboundClipboardSharingLevel", \.allowedOutboundClipboardSharingLevel),
        number(
            "allowedOutboundClipboardSharingExceptionLength",
            \.allowedOutboundClipboardSharingExceptionLength, 0...65_535, .smaller,
            Exception(
                restricts: { $0.allowedOutboundClipboardSharingLevel ?? .allApps != .allApps },
                none: 0)),
        flag("filterOpenInToOnlyManagedApps", \.filterOpenInToOnlyManagedApps),
        flag(
            "disableProtectionOfManagedOutboundOpenInData",
            \.disableProtectionOfManagedOutboundOpenInData, .falsehood),
        flag("protectInboundDataFromUnknownSources", \.protectInboundDataFromUnknownSources),
    ]

    private static let links: [RuleField] = [
        flag("managedBrowserToOpenLinksRequired", \.managedBrowserToOpenLinksRequired),
        choice("managedBrowser", \.managedBrowser),
        text("customBrowserProtocol", \.customBrowserProtocol),
        RuleField(
            "exemptedAppProtocols", \.exemptedAppProtocols, Shape<[NamedValue]>.schemes.optional,
            .commonValues, sendsRestricted()),
        RuleField(
            "managedUniversalLinks", \.managedUniversalLinks,
            Shape<[String]>.sortedTexts.optional, .common(), sendsRestricted()),
        RuleField(
            "exemptedUniversalLinks", \.exemptedUniversalLinks,
            Shape<[String]>.sortedTexts.optional, .common(), sendsRestricted()),
        choice("dialerRestrictionLevel", \.dialerRestrictionLevel),
        text("customDialerAppProtocol", \.customDialerAppProtocol),
        choice("protectedMessagingRedirectAppType", \.protectedMessagingRedirectAppType),
        text("messagingRedirectAppUrlScheme", \.messagingRedirectAppUrlScheme),
    ]

    private static let functions: [RuleField] = [
        flag("printBlocked", \.printBlocked),
        flag("contactSyncBlocked", \.contactSyncBlocked),
        flag("dataBackupBlocked", \.dataBackupBlocked),
        choice("notificationRestriction", \.notificationRestriction),
        flag("allowWidgetContentSync", \.allowWidgetContentSync, .falsehood),
        flag("thirdPartyKeyboardsBlocked", \.thirdPartyKeyboardsBlocked),
        choice("screenCaptureConfigurationState", \.screenCaptureConfigurationState),
        choice("genmojiConfigurationState", \.genmojiConfigurationState),
        choice("writingToolsConfigurationState", \.writingToolsConfigurationState),
        RuleField(
            "mamdRecoveryPublicKey", \.mamdRecoveryPublicKey,
            Shape<[RecoveryPublicKey]>.recoveryKeys.optional, .union()),
    ]

    private static let pin: [RuleField] = [
        flag("pinRequired", \.pinRequired),
        number("maximumPinRetries", \.maximumPinRetries, 1...65_535, .smaller),
        choice("appActionIfMaximumPinRetriesExceeded", \.appActionIfMaximumPinRetriesExceeded),
        flag("simplePinBlocked", \.simplePinBlocked),
        number("minimumPinLength", \.minimumPinLength, 0...65_535, .larger),
        choice("pinCharacterSet", \.pinCharacterSet),
        duration("periodBeforePinReset", \.periodBeforePinReset, .sooner),
        number("previousPinBlockCount", \.previousPinBlockCount, 0...24, .larger),
        flag("disableAppPinIfDevicePinIsSet", \.disableAppPinIfDevicePinIsSet, .falsehood),
        flag("organizationalCredentialsRequired", \.organizationalCredentialsRequired),
    ]

    private static let biometrics: [RuleField] = [
        flag("fingerprintBlocked", \.fingerprintBlocked),
        flag("faceIdBlocked", \.faceIdBlocked),
        duration(
            "pinRequiredInsteadOfBiometricTimeout", \.pinRequiredInsteadOfBiometricTimeout, .sooner),
    ]

    private static let time: [RuleField] = [
        duration("periodOfflineBeforeAccessCheck", \.periodOfflineBeforeAccessCheck, .sooner),
        duration("periodOnlineBeforeAccessCheck", \.periodOnlineBeforeAccessCheck, .sooner),
        duration(
            "periodOfflineBeforeWipeIsEnforced", \.periodOfflineBeforeWipeIsEnforced, .sooner),
        choice("appActionIfAccountIsClockedOut", \.appActionIfAccountIsClockedOut),
        duration(
            "gracePeriodToBlockAppsDuringOffClockHours",
            \.gracePeriodToBlockAppsDuringOffClockHours),
    ]

    private static let device: [RuleField] = [
        flag("deviceComplianceRequired", \.deviceComplianceRequired),
        choice("appActionIfDeviceComplianceRequired", \.appActionIfDeviceComplianceRequired),
        RuleField(
            "allowedIosDeviceModels", \.allowedIosDeviceModels, .semicolonList, .commonNames),
        choice("appActionIfIosDeviceModelNotAllowed", \.appActionIfIosDeviceModelNotAllowed),
        choice("maximumAllowedDeviceThreatLevel", \.maximumAllowedDeviceThreatLevel),
        choice("mobileThreatDefenseRemediationAction", \.mobileThreatDefenseRemediationAction),
        text("mobileThreatDefensePartnerPriority", \.mobileThreatDefensePartnerPriority),
        choice("appActionIfUnableToAuthenticateUser", \.appActionIfUnableToAuthenticateUser),
    ]

    private static let versions: [RuleField] = [
        version("minimumRequiredOsVersion", \.minimumRequiredOsVersion, .higherVersion),
        version("minimumWarningOsVersion", \.minimumWarningOsVersion, .higherVersion),
        version("minimumWipeOsVersion", \.minimumWipeOsVersion, .higherVersion),
        version("maximumRequiredOsVersion", \.maximumRequiredOsVersion, .lowerVersion),
        version("maximumWarningOsVersion", \.maximumWarningOsVersion, .lowerVersion),
        version("maximumWipeOsVersion", \.maximumWipeOsVersion, .lowerVersion),
        version("minimumRequiredAppVersion", \.minimumRequiredAppVersion, .higherVersion),
        version("minimumWarningAppVersion", \.minimumWarningAppVersion, .higherVersion),
        version("minimumWipeAppVersion", \.minimumWipeAppVersion, .higherVersion),
        version("minimumRequiredSdkVersion", \.minimumRequiredSdkVersion, .higherVersion),
        version("minimumWarningSdkVersion", \.minimumWarningSdkVersion, .higherVersion),
        version("minimumWipeSdkVersion", \.minimumWipeSdkVersion, .higherVersion),
    ]
}

// The kinds of properties.
extension RuleField {
    private typealias Path<Value> = any WritableKeyPath<PolicyRules, Value?> & Sendable

    private static func flag(
        _ key: String, _ path: Path<Bool>, _ strictness: Strictness<Bool> = .truth
    ) -> RuleField {
        RuleField(key, path, Shape<Bool>.truth.optional, strictness)
    }

    private static func choice<Choice: PolicyChoice>(
        _ key: String, _ path: Path<Choice>
    ) -> RuleField {
        RuleField(key, path, Shape<Choice>.choice.optional, .laterMember)
    }

    private static func number(
        _ key: String, _ path: Path<Int>, _ range: ClosedRange<Int>, _ strictness: Strictness<Int>,
        _ exception: Exception<Int>? = nil
    ) -> RuleField {
        RuleField(key, path, Shape<Int>.whole(range).optional, strictness, exception)
    }

    private static func duration(
        _ key: String, _ path: Path<PolicyDuration>,
        _ strictness: Strictness<PolicyDuration> = .smaller
    ) -> RuleField {
        RuleField(key, path, Shape<PolicyDuration>.duration.optional, strictness)
    }

    private static func text(_ key: String, _ path: Path<String>) -> RuleField {
        RuleField(key, path, .filledText, .either)
    }

    private static func version(
        _ key: String, _ path: Path<String>, _ strictness: Strictness<String>
    ) -> RuleField {
        RuleField(key, path, .version, strictness)
    }

    private static func sendsRestricted<Value: Sendable>() -> Exception<Value> {
        Exception(
            restricts: { $0.allowedOutboundDataTransferDestinations ?? .allApps != .allApps },
            none: nil)
    }
}
