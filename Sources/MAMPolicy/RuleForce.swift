// Who acts on each property of an app protection.

/// What becomes of a property: docs/POLICY.md has what each answer is.
package enum RuleForce: String, Sendable, CaseIterable {
    /// The mount or the daemon enforces it, whatever programs do.
    case enforced
    /// Enforced for contained programs; others get an answer, and alone can act on it.
    case contained
    /// Programs get an answer, and alone can act on it.
    case answered
    /// It is read, merged and shown, and nobody acts on it.
    case unused

    /// Nil for what is no such property.
    package init?(of key: String) {
        guard let force = Self.allCases.first(where: { Self.keys[$0]?.contains(key) == true })
        else { return nil }
        self = force
    }

    package static let keys: [RuleForce: Set<String>] = [
        .enforced: access.union(passphrase).union(conditions), .contained: ["printBlocked"],
        .answered: transfers.union(links).union(functions),
        .unused: [
            "disableAppPinIfDevicePinIsSet", "fingerprintBlocked", "faceIdBlocked",
            "pinRequiredInsteadOfBiometricTimeout", "managedBrowser",
            "mobileThreatDefensePartnerPriority",
        ],
    ]

    private static let access: Set<String> = [
        "appDataEncryptionType", "mamdRecoveryPublicKey",
        "allowedOutboundDataTransferDestinations", "saveAsBlocked",
    ]

    private static let passphrase: Set<String> = [
        "pinRequired", "maximumPinRetries", "appActionIfMaximumPinRetriesExceeded",
        "simplePinBlocked", "mamdLongPinLength", "minimumPinLength", "pinCharacterSet",
        "periodBeforePinReset", "previousPinBlockCount", "organizationalCredentialsRequired",
    ]

    private static let conditions: Set<String> = [
        "periodOfflineBeforeAccessCheck", "periodOnlineBeforeAccessCheck",
        "periodOfflineBeforeWipeIsEnforced", "appActionIfAccountIsClockedOut",
        "gracePeriodToBlockAppsDuringOffClockHours", "deviceComplianceRequired",
        "appActionIfDeviceComplianceRequired", "allowedIosDeviceModels",
        "appActionIfIosDeviceModelNotAllowed", "maximumAllowedDeviceThreatLevel",
        "mobileThreatDefenseRemediationAction", "appActionIfUnableToAuthenticateUser",
        "minimumRequiredOsVersion", "minimumWarningOsVersion", "minimumWipeOsVersion",
        "maximumRequiredOsVersion", "maximumWarningOsVersion", "maximumWipeOsVersion",
        "minimumRequiredAppVersion", "minimumWarningAppVersion", "minimumWipeAppVersion",
        "minimumRequiredSdkVersion", "minimumWarningSdkVersion", "minimumWipeSdkVersion",
    ]

    private static let transfers: Set<String> = [
        "allowedInboundDataTransferSources", "allowedDataStorageLocations",
        "blockDataIngestionIntoOrganizationDocuments", "allowedDataIngestionLocations",
        "allowedOutboundClipboardSharingLevel", "allowedOutboundClipboardSharingExceptionLength",
        "filterOpenInToOnlyManagedApps", "disableProtectionOfManagedOutboundOpenInData",
        "protectInboundDataFromUnknownSources",
    ]

    private static let links: Set<String> = [
        "managedBrowserToOpenLinksRequired", "customBrowserProtocol", "exemptedAppProtocols",
        "managedUniversalLinks", "exemptedUniversalLinks", "dialerRestrictionLevel",
        "customDialerAppProtocol", "protectedMessagingRedirectAppType",
        "messagingRedirectAppUrlScheme",
    ]

    private static let functions: Set<String> = [
        "contactSyncBlocked", "dataBackupBlocked", "notificationRestriction",
        "allowWidgetContentSync", "thirdPartyKeyboardsBlocked", "screenCaptureConfigurationState",
        "genmojiConfigurationState", "writingToolsConfigurationState",
    ]
}
