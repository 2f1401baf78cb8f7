// The enumerations of Graph's managed app policies, by name. Policies as logged by devices number
// several of them in the opposite order, so no numbers are used here.
//
// Where an order of restriction matters, the members are in that order, most restrictive last.

package import MAMModel

/// `managedAppDataEncryptionType`: when files are unreadable.
package enum DataEncryption: String, Sendable, PolicyChoice {
    /// Follows the device: the workspace's default class.
    case useDeviceSettings
    case afterDeviceRestart
    case whenDeviceLockedExceptOpenFiles
    case whenDeviceLocked

    /// The class of files under this policy.
    package func protectionClass(deviceDefault: ProtectionClass) -> ProtectionClass {
        switch self {
        case .whenDeviceLocked: .complete
        case .whenDeviceLockedExceptOpenFiles: .completeUnlessOpen
        case .afterDeviceRestart: .completeUntilFirstUserAuthentication
        case .useDeviceSettings: deviceDefault
        }
    }
}

/// `managedAppDataTransferLevel`.
package enum DataTransfers: String, Sendable, PolicyChoice {
    case allApps
    case managedApps
    // Not `none`, which Swift would confuse with nil.
    case noApps = "none"
}

/// `managedAppClipboardSharingLevel`.
package enum ClipboardSharing: String, Sendable, PolicyChoice {
    case allApps, managedAppsWithPasteIn, managedApps, blocked
}

/// `managedAppDataStorageLocation`. `accountDocument` is mamd's own; Graph has no member for that
/// location.
package enum StorageLocation: String, Sendable, CaseIterable {
    case oneDriveForBusiness, sharePoint, box, localStorage, photoLibrary, iManage, egnyte
    case accountDocument
}

/// `managedAppDataIngestionLocation`.
package enum IngestionLocation: String, Sendable, CaseIterable {
    case oneDriveForBusiness, sharePoint, camera, photoLibrary
}

/// `managedAppPinCharacterSet`.
package enum PinCharacters: String, Sendable, PolicyChoice {
    case numeric, alphanumericAndSymbol
}

/// An enumeration whose unknown members are treated as a known one.
protocol PolicyChoice: CaseIterable, RawRepresentable<String>, Equatable, Sendable {
    static var forUnknown: Self? { get }
}

extension PolicyChoice {
    /// The most restrictive one, so that a future policy does not become looser by being unknown.
    static var forUnknown: Self? { Array(allCases).last }
}

/// `managedAppRemediationAction`. Wipe takes precedence over block, and block over warn;
/// `blockWhenSettingIsSupported` is a block.
package enum RemediationAction: String, Sendable, PolicyChoice {
    case warn, blockWhenSettingIsSupported, block, wipe

    /// If none is configured.
    static let byDefault = RemediationAction.block

    /// An unknown word must not destroy anything.
    static var forUnknown: RemediationAction? { .block }
}

/// `managedAppNotificationRestriction`. In the order of the SDK's `IntuneMAMNotificationPolicy`: a
/// member's ``place`` goes over the wire as its number there.
package enum NotificationRestriction: String, Sendable, PolicyChoice {
    case allow, blockOrganizationalData, block
}

/// `managedAppDeviceThreatLevel`; as a ceiling, `secured` is the strictest.
package enum ThreatLevel: String, Sendable, PolicyChoice {
    case notConfigured, high, medium, low, secured
}

/// `managedAppPhoneNumberRedirectLevel`.
package enum PhoneNumberRedirect: String, Sendable, PolicyChoice {
    case allApps, managedApps, customApp, blocked
}

/// `messagingRedirectAppType`.
package enum MessagingRedirect: String, Sendable, PolicyChoice {
    case anyApp, anyManagedApp, specificApps, blocked
}

/// `managedBrowserType`.
package enum ManagedBrowser: String, Sendable, PolicyChoice {
    case notConfigured, microsoftEdge
}

/// The `…ConfigurationState` enumerations.
package enum FeatureState: String, Sendable, PolicyChoice {
    case notBlocked, blocked
}

extension CaseIterable where Self: Equatable {
    /// In the order of the members.
    package var place: Int {
        Self.allCases.enumerated().first { $0.element == self }?.offset ?? 0
    }
}

/// A `keyValuePair`.
package struct NamedValue: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
