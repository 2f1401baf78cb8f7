// The properties of an app protection policy, by their names in Microsoft Graph.

package import MAMFormat

/// The `managedAppProtection` properties that mamd knows, named as in Graph's beta schema, which
/// includes v1.0. Nil, or an empty list where Graph has one, means not configured.
package struct PolicyRules: Sendable, Equatable {
    package init() {}

    // Transfers
    package var allowedOutboundDataTransferDestinations: DataTransfers?
    package var allowedInboundDataTransferSources: DataTransfers?
    package var saveAsBlocked: Bool?
    package var allowedDataStorageLocations: [StorageLocation]?
    package var blockDataIngestionIntoOrganizationDocuments: Bool?
    package var allowedDataIngestionLocations: [IngestionLocation]?
    package var allowedOutboundClipboardSharingLevel: ClipboardSharing?
    /// Characters that may always be copied: 0 to 65535.
    package var allowedOutboundClipboardSharingExceptionLength: Int?
    package var filterOpenInToOnlyManagedApps: Bool?
    package var disableProtectionOfManagedOutboundOpenInData: Bool?
    package var protectInboundDataFromUnknownSources: Bool?

    // Links
    package var managedBrowserToOpenLinksRequired: Bool?
    package var managedBrowser: ManagedBrowser?
    package var customBrowserProtocol: String?
    /// Schemes that may be opened at any transfer level: a display name each, with a list of
    /// schemes.
    package var exemptedAppProtocols: [NamedValue]?
    /// Patterns in which `*` matches any text.
    package var managedUniversalLinks: [String]?
    package var exemptedUniversalLinks: [String]?
    package var dialerRestrictionLevel: PhoneNumberRedirect?
    package var customDialerAppProtocol: String?
    package var protectedMessagingRedirectAppType: MessagingRedirect?
    package var messagingRedirectAppUrlScheme: String?

    // The device's functions
    package var printBlocked: Bool?
    package var contactSyncBlocked: Bool?
    package var dataBackupBlocked: Bool?
    package var notificationRestriction: NotificationRestriction?
    package var allowWidgetContentSync: Bool?
    package var thirdPartyKeyboardsBlocked: Bool?
    package var screenCaptureConfigurationState: FeatureState?
    package var genmojiConfigurationState: FeatureState?
    package var writingToolsConfigurationState: FeatureState?

    // Encryption
    package var appDataEncryptionType: DataEncryption?
    /// mamd's own: the holder of the private half can open the account's files (docs/RECOVERY.md).
    package var mamdRecoveryPublicKey: [RecoveryPublicKey]?

    // PIN
    package var pinRequired: Bool?
    /// 1 to 65535.
    package var maximumPinRetries: Int?
    package var appActionIfMaximumPinRetriesExceeded: RemediationAction?
    package var simplePinBlocked: Bool?
    /// mamd's own: words have sequences too, which need no block in a long passphrase.
    package var mamdLongPinLength: Int?
    package var minimumPinLength: Int?
    package var pinCharacterSet: PinCharacters?
    /// Zero: never.
    package var periodBeforePinReset: PolicyDuration?
    /// 0 to 24.
    package var previousPinBlockCount: Int?
    package var disableAppPinIfDevicePinIsSet: Bool?
    package var fingerprintBlocked: Bool?
    package var faceIdBlocked: Bool?
    package var pinRequiredInsteadOfBiometricTimeout: PolicyDuration?
    package var organizationalCredentialsRequired: Bool?

    // Time
    package var periodOfflineBeforeAccessCheck: PolicyDuration?
    package var periodOnlineBeforeAccessCheck: PolicyDuration?
    package var periodOfflineBeforeWipeIsEnforced: PolicyDuration?
    package var appActionIfAccountIsClockedOut: RemediationAction?
    package var gracePeriodToBlockAppsDuringOffClockHours: PolicyDuration?

    // Conditions of the device and the programs
    package var deviceComplianceRequired: Bool?
    package var appActionIfDeviceComplianceRequired: RemediationAction?
    package var minimumRequiredOsVersion: String?
    package var minimumWarningOsVersion: String?
    package var minimumWipeOsVersion: String?
    package var maximumRequiredOsVersion: String?
    package var maximumWarningOsVersion: String?
    package var maximumWipeOsVersion: String?
    package var minimumRequiredAppVersion: String?
    package var minimumWarningAppVersion: String?
    package var minimumWipeAppVersion: String?
    package var minimumRequiredSdkVersion: String?
    package var minimumWarningSdkVersion: String?
    package var minimumWipeSdkVersion: String?
    /// Models separated by semicolons, in any case. If documents have none in common, a lone
    /// semicolon permits no model.
    package var allowedIosDeviceModels: String?
    package var appActionIfIosDeviceModelNotAllowed: RemediationAction?
    package var maximumAllowedDeviceThreatLevel: ThreatLevel?
    package var mobileThreatDefenseRemediationAction: RemediationAction?
    package var mobileThreatDefensePartnerPriority: String?
    package var appActionIfUnableToAuthenticateUser: RemediationAction?
}
