// Rules without effect, or with a misleading one, beside other rules of the same document.

/// One rule that depends on others.
struct PolicyDependency: Sendable {
    let key: String
    let reason: String
    let isBroken: @Sendable (PolicyRules) -> Bool

    static func broken(in rules: PolicyRules) -> [PolicyDependency] {
        all.filter { $0.isBroken(rules) }
    }

    private init(
        _ key: String, _ reason: String, isBroken: @escaping @Sendable (PolicyRules) -> Bool
    ) {
        self.key = key
        self.reason = reason
        self.isBroken = isBroken
    }

    private static let all: [PolicyDependency] = transfers + links + times + actions

    private static let transfers: [PolicyDependency] = [
        PolicyDependency("saveAsBlocked", "has no effect: data may be sent to all apps") {
            $0.saveAsBlocked == true && $0.sends == .allApps
        },
        PolicyDependency("saveAsBlocked", "counts as true: data may be sent to no app") {
            $0.saveAsBlocked == false && $0.sends == .noApps
        },
        PolicyDependency(
            "allowedDataStorageLocations", "has no effect: data may be sent to no app"
        ) {
            $0.allowedDataStorageLocations?.isEmpty == false && $0.sends == .noApps
        },
        PolicyDependency(
            "blockDataIngestionIntoOrganizationDocuments",
            "has no effect: data may be received from all apps"
        ) {
            $0.blockDataIngestionIntoOrganizationDocuments == true && $0.receives == .allApps
        },
        PolicyDependency(
            "blockDataIngestionIntoOrganizationDocuments",
            "counts as true: data may be received from no app"
        ) {
            $0.blockDataIngestionIntoOrganizationDocuments == false && $0.receives == .noApps
        },
        PolicyDependency(
            "filterOpenInToOnlyManagedApps",
            "has an effect only where data may be sent to managed apps and is protected"
        ) {
            $0.filterOpenInToOnlyManagedApps == true
                && ($0.sends != .managedApps
                    || $0.disableProtectionOfManagedOutboundOpenInData == true)
        },
        PolicyDependency(
            "disableProtectionOfManagedOutboundOpenInData",
            "has an effect only where data may be sent to managed apps"
        ) {
            $0.disableProtectionOfManagedOutboundOpenInData == true && $0.sends != .managedApps
        },
        PolicyDependency(
            "protectInboundDataFromUnknownSources",
            "has an effect only where data may be received from all apps"
        ) {
            $0.protectInboundDataFromUnknownSources == true && $0.receives != .allApps
        },
    ]

    private static let links: [PolicyDependency] = [
        PolicyDependency("dialerRestrictionLevel", "names no app: customDialerAppProtocol is empty")
        {
            $0.dialerRestrictionLevel == .customApp && $0.customDialerAppProtocol == nil
        },
        PolicyDependency(
            "protectedMessagingRedirectAppType",
            "names no app: messagingRedirectAppUrlScheme is empty"
        ) {
            $0.protectedMessagingRedirectAppType == .specificApps
                && $0.messagingRedirectAppUrlScheme == nil
        },
    ]

    private static let times: [PolicyDependency] = [
        PolicyDependency(
            "pinRequiredInsteadOfBiometricTimeout", "must exceed periodOnlineBeforeAccessCheck"
        ) {
            guard let pin = $0.pinRequiredInsteadOfBiometricTimeout,
                let check = $0.periodOnlineBeforeAccessCheck
            else { return false }
            return pin <= check
        },
        PolicyDependency(
            "periodOfflineBeforeAccessCheck", "is less than 30 minutes: access is blocked often"
        ) {
            $0.periodOfflineBeforeAccessCheck.map { $0.seconds < 30 * 60 } ?? false
        },
        PolicyDependency(
            "periodOfflineBeforeWipeIsEnforced", "is not later than the block before it"
        ) {
            guard let wipe = $0.periodOfflineBeforeWipeIsEnforced else { return false }
            return wipe <= ($0.periodOfflineBeforeAccessCheck ?? PolicyDuration(seconds: 0))
        },
    ]

    private static let actions: [PolicyDependency] = [
        PolicyDependency(
            "mobileThreatDefenseRemediationAction", "cannot be warn; it counts as block"
        ) {
            $0.mobileThreatDefenseRemediationAction == .warn
        },
        PolicyDependency("appActionIfAccountIsClockedOut", "can only be block or warn") {
            [.wipe, .blockWhenSettingIsSupported].contains($0.appActionIfAccountIsClockedOut)
        },
    ]
}

extension PolicyRules {
    fileprivate var sends: DataTransfers { allowedOutboundDataTransferDestinations ?? .allApps }
    fileprivate var receives: DataTransfers { allowedInboundDataTransferSources ?? .allApps }
}
