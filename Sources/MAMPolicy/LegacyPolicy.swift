// The flat policy in the SDK's debug settings: keys `IntuneMAMPolicy.…`, or only the part after
// the dot, for trials without a service. It numbers several choices in the opposite order from
// Graph; this converts them to names.

package import MAMModel

package enum LegacyPolicy {
    private static let prefix = "IntuneMAMPolicy."

    /// True if an object has such keys, or is the preferences list that ships with the SDK.
    static func isOne(_ fields: [String: JSONValue]) -> Bool {
        flattened(fields).contains { $0.key.hasPrefix(prefix) }
    }

    /// Missing values get the SDK's defaults.
    package static func document(_ fields: [String: JSONValue]) throws(PolicyError)
        -> PolicyDocument
    {
        var reader = Reader(flattened(fields))
        var document = PolicyDocument()
        document.displayName = "flat policy for trials"
        for field in LegacyField.numbers {
            let value = try reader.read(prefix + field.name, number(in: field.range))
            field.apply(value ?? field.standard, &document.rules)
        }
        for (name, path) in LegacyField.versions {
            document.rules[keyPath: path] = try reader.read(prefix + name, .version) ?? nil
        }
        if try reader.read("\(prefix)NonBioPassTimeOutRequired", number(in: 0...1)) == 1 {
            let minutes = try reader.read("\(prefix)NonBioPassTimeout", number(in: minutes)) ?? 60
            document.rules.pinRequiredInsteadOfBiometricTimeout = PolicyDuration(
                seconds: minutes * 60)
        }
        if let account = try reader.read("\(prefix)IntuneIdentityUPN", .filledText) ?? nil {
            document.assignments = [.account(account)]
        }
        document.warnings = reader.allWarnings()
        return document
    }

    /// A preferences list has an object per key, whose default is the value.
    private static func flattened(_ fields: [String: JSONValue]) -> [String: JSONValue] {
        guard let list = fields["PreferenceSpecifiers"]?.array else { return named(fields) }
        let pairs = list.compactMap { item -> (String, JSONValue)? in
            guard let key = item.object?["Key"]?.text else { return nil }
            return (key, item.object?["DefaultValue"] ?? .null)
        }
        return named(Dictionary(pairs) { _, last in last })
    }

    /// Older guides omit the prefix.
    private static func named(_ fields: [String: JSONValue]) -> [String: JSONValue] {
        let bare = fields.filter { bareNames.contains($0.key) }
        let renamed = Dictionary(uniqueKeysWithValues: bare.map { (prefix + $0.key, $0.value) })
        return fields.filter { bare[$0.key] == nil }.merging(renamed) { whole, _ in whole }
    }

    private static let bareNames = Set(
        LegacyField.numbers.map(\.name) + LegacyField.versions.map(\.name)
            + ["NonBioPassTimeOutRequired", "NonBioPassTimeout", "IntuneIdentityUPN"])

    /// Preference switches are booleans in some files, numbers in others.
    private static func number(in range: ClosedRange<Int64>) -> Shape<Int64> {
        let whole = Shape<Int64>.whole(range)
        return Shape(
            whole.expected,
            reading: { value, key, warnings in
                whole.read(value.bool.map { $0 ? 1 : 0 } ?? value, key, &warnings)
            }, write: whole.write)
    }

    fileprivate static let minutes: ClosedRange<Int64> = 0...1_000_000
}

/// A key with a numeric value.
private struct LegacyField: Sendable {
    let name: String
    let standard: Int64
    let range: ClosedRange<Int64>
    let apply: @Sendable (Int64, inout PolicyRules) -> Void

    typealias Path<Value> = any WritableKeyPath<PolicyRules, Value?> & Sendable

    static let numbers: [LegacyField] = switches + levels + amounts + locations

    private static let switches: [LegacyField] = [
        flag("ManagedBrowserRequired", 1, \.managedBrowserToOpenLinksRequired),
        flag("DataBackupDisabled", 1, \.dataBackupBlocked),
        flag("ContactSyncDisabled", 0, \.contactSyncBlocked),
        flag("PrintingBlocked", 0, \.printBlocked),
        flag("ThirdPartyKeyboardsBlocked", 0, \.thirdPartyKeyboardsBlocked),
        flag("FileSharingSaveAsDisabled", 1, \.saveAsBlocked),
        flag("PINEnabled", 1, \.pinRequired),
        flag("SimplePINAllowed", 1, \.simplePinBlocked, whenOn: false),
        flag("AppPinDisabled", 0, \.disableAppPinIfDevicePinIsSet),
        flag("FaceIDEnabled", 0, \.faceIdBlocked, whenOn: false),
        flag("TouchIDEnabled", 0, \.fingerprintBlocked, whenOn: false),
        flag("AuthenticationEnabled", 0, \.organizationalCredentialsRequired),
        flag("DeviceComplianceEnabled", 1, \.deviceComplianceRequired),
        flag(
            "ProtectManagedOpenInData", 0, \.disableProtectionOfManagedOutboundOpenInData,
            whenOn: false),
        flag("ProtectAllIncomingUnknownSourceData", 0, \.protectInboundDataFromUnknownSources),
        flag("EnableOpenInFilter", 0, \.filterOpenInToOnlyManagedApps),
    ]

    private static let levels: [LegacyField] = [
        level("AppSharingToLevel", 1, \.allowedOutboundDataTransferDestinations, sharing),
        level("AppSharingFromLevel", 1, \.allowedInboundDataTransferSources, sharing),
        level(
            "ClipboardSharingLevel", 1, \.allowedOutboundClipboardSharingLevel,
            [.blocked, .managedApps, .managedAppsWithPasteIn, .allApps]),
        level("PINCharacterType", 1, \.pinCharacterSet, [.alphanumericAndSymbol, .numeric]),
        level(
            "MaxPinRetryExceededAction", 0, \.appActionIfMaximumPinRetriesExceeded, [.block, .wipe]
        ),
        level(
            "FileEncryptionLevel", 1, \.appDataEncryptionType,
            [
                .whenDeviceLocked, .whenDeviceLockedExceptOpenFiles, .afterDeviceRestart,
                .useDeviceSettings,
            ]),
        level(
            "DialerRestrictionLevel", 3, \.dialerRestrictionLevel,
            [.blocked, .customApp, .managedApps, .allApps]),
    ]

    private static let sharing: [DataTransfers] = [.noApps, .managedApps, .allApps]

    private static let amounts: [LegacyField] = [
        LegacyField(name: "PINMinLength", standard: 4, range: 0...65_535) {
            $1.minimumPinLength = Int($0)
        },
        LegacyField(name: "PINNumRetry", standard: 5, range: 1...65_535) {
            $1.maximumPinRetries = Int($0)
        },
        time("PINExpiryDays", 90, unit: 86_400, \.periodBeforePinReset),
        time("AccessRecheckOnlineTimeout", 30, unit: 60, \.periodOnlineBeforeAccessCheck),
        time("AccessRecheckOfflineTimeout", 720, unit: 60, \.periodOfflineBeforeAccessCheck),
    ]

    /// The bits of save locations. Graph has no names for 8 (Dropbox) and 16 (Google Drive).
    private static let locations: [LegacyField] = [
        location("Location1", 1, .oneDriveForBusiness), location("Location2", 1, .sharePoint),
        location("Location4", 0, .box), location("Location8", 0, nil),
        location("Location16", 0, nil), location("Location32", 0, .localStorage),
    ]

    static let versions: [(name: String, path: Path<String>)] = [
        ("MinOsVersion", \.minimumRequiredOsVersion),
        ("MinOsVersionWarning", \.minimumWarningOsVersion),
        ("MinAppVersion", \.minimumRequiredAppVersion),
        ("MinAppVersionWarning", \.minimumWarningAppVersion),
        ("MinSdkVersion", \.minimumRequiredSdkVersion),
    ]

    private static func flag(
        _ name: String, _ standard: Int64, _ path: Path<Bool>, whenOn value: Bool = true
    ) -> LegacyField {
        LegacyField(name: name, standard: standard, range: 0...1) {
            $1[keyPath: path] = ($0 == 1) == value
        }
    }

    /// Members in the order of their numbers.
    private static func level<Value: Sendable>(
        _ name: String, _ standard: Int64, _ path: Path<Value>, _ members: [Value]
    ) -> LegacyField {
        LegacyField(name: name, standard: standard, range: 0...Int64(members.count - 1)) {
            $1[keyPath: path] = members[Int($0)]
        }
    }

    private static func time(
        _ name: String, _ standard: Int64, unit: Int64, _ path: Path<PolicyDuration>
    ) -> LegacyField {
        LegacyField(name: name, standard: standard, range: LegacyPolicy.minutes) {
            $1[keyPath: path] = PolicyDuration(seconds: $0 * unit)
        }
    }

    private static func location(
        _ name: String, _ standard: Int64, _ location: StorageLocation?
    ) -> LegacyField {
        LegacyField(name: name, standard: standard, range: 0...1) { isOn, rules in
            var all = rules.allowedDataStorageLocations ?? []
            if isOn == 1, let location { all.append(location) }
            rules.allowedDataStorageLocations = StorageLocation.allCases.filter(all.contains)
        }
    }
}
