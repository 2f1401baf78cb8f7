// The enumerations of Graph's managed app policies, by name. The policy that a device logs numbers
// several of them the other way round, so that numbers stand nowhere here.
//
// Where an order of restriction is needed the members stand in it, most restrictive last.

package import MAMModel

/// `managedAppDataEncryptionType`: when files are to be unreadable.
package enum DataEncryption: String, Sendable, CaseIterable {
    /// Whatever the device does: the workspace's default class.
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
package enum DataTransfers: String, Sendable, CaseIterable {
    case allApps
    case managedApps
    // Not `none`, which an optional would take for nil.
    case noApps = "none"
}

/// `managedAppClipboardSharingLevel`.
package enum ClipboardSharing: String, Sendable, CaseIterable {
    case allApps, managedAppsWithPasteIn, managedApps, blocked
}

/// `managedAppDataStorageLocation`. `accountDocument` is ours (Graph has no member for that
/// location).
package enum StorageLocation: String, Sendable, CaseIterable {
    case oneDriveForBusiness, sharePoint, box, localStorage, photoLibrary, iManage, egnyte
    case accountDocument
}

/// `managedAppDataIngestionLocation`.
package enum IngestionLocation: String, Sendable, CaseIterable {
    case oneDriveForBusiness, sharePoint, camera, photoLibrary
}

/// `managedAppPinCharacterSet`.
package enum PinCharacters: String, Sendable, CaseIterable {
    case numeric, alphanumericAndSymbol
}

/// An enumeration of which a member that is not known stands for one of the known ones.
protocol PolicyChoice: CaseIterable, RawRepresentable<String>, Equatable, Sendable {
    static var forUnknown: Self? { get }
}

extension PolicyChoice {
    /// The most restrictive one: a policy of tomorrow must not become looser by our not knowing it.
    static var forUnknown: Self? { Array(allCases).last }
}

/// `managedAppRemediationAction`. Wipe beats block beats warn; `blockWhenSettingIsSupported` is a
/// block.
package enum RemediationAction: String, Sendable, CaseIterable {
    case warn, blockWhenSettingIsSupported, block, wipe

    /// Where none is configured.
    static let byDefault = RemediationAction.block

    /// Nothing is destroyed for a word that nobody here understands.
    static var forUnknown: RemediationAction? { .block }
}

/// `managedAppNotificationRestriction`.
package enum NotificationRestriction: String, Sendable, CaseIterable {
    case allow, blockOrganizationalData, block
}

/// `managedAppDeviceThreatLevel`; as a ceiling, `secured` is the strictest.
package enum ThreatLevel: String, Sendable, CaseIterable {
    case notConfigured, high, medium, low, secured
}

/// `managedAppPhoneNumberRedirectLevel`.
package enum PhoneNumberRedirect: String, Sendable, CaseIterable {
    case allApps, managedApps, customApp, blocked
}

/// `messagingRedirectAppType`.
package enum MessagingRedirect: String, Sendable, CaseIterable {
    case anyApp, anyManagedApp, specificApps, blocked
}

/// `managedBrowserType`.
package enum ManagedBrowser: String, Sendable, CaseIterable {
    case notConfigured, microsoftEdge
}

/// The `…ConfigurationState` enumerations.
package enum FeatureState: String, Sendable, CaseIterable {
    case notBlocked, blocked
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

extension DataEncryption: PolicyChoice {}
extension DataTransfers: PolicyChoice {}
extension ClipboardSharing: PolicyChoice {}
extension PinCharacters: PolicyChoice {}
extension RemediationAction: PolicyChoice {}
extension NotificationRestriction: PolicyChoice {}
extension ThreatLevel: PolicyChoice {}
extension PhoneNumberRedirect: PolicyChoice {}
extension MessagingRedirect: PolicyChoice {}
extension ManagedBrowser: PolicyChoice {}
extension FeatureState: PolicyChoice {}
