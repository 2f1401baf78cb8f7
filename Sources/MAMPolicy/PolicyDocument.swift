// MAMPolicy: what an organisation's documents ask, and a workspace's settings. Pure: no files, no clock.
//
//   PolicyDocument (+Decode), EffectivePolicy   Microsoft Graph app protection policies
//   Settings (+Decode)                          settings.json
//   Reader                                      a JSON object, tolerant of what is unknown

package import MAMModel

/// One app protection policy, as Microsoft Graph exports it. A key that is missing or null is nil, or
/// empty: the document asks nothing there.
package struct PolicyDocument: Sendable, Equatable {
    package var id: String?
    package var displayName: String?
    package var version: String?
    package var dataEncryption: DataEncryption?
    package var outboundTransfers: DataTransfers?
    package var inboundTransfers: DataTransfers?
    /// What was read past.
    package var warnings: [PolicyWarning] = []

    package init() {}
}

/// `appDataEncryptionType`: when files are to be unreadable.
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

/// `allowedOutboundDataTransferDestinations`, `allowedInboundDataTransferSources`; most restrictive last.
package enum DataTransfers: String, Sendable, CaseIterable {
    case allApps
    case managedApps
    // Not `none`, which an optional would take for nil.
    case noApps = "none"
}
