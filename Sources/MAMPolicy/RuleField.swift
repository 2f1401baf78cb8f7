// The properties of an app protection: one table for decoding, merging, finding a value's origin,
// and output.

internal import MAMFormat
internal import MAMModel

/// One property of ``PolicyRules``.
struct RuleField: Sendable {
    let key: String
    let read:
        @Sendable (JSONValue, inout PolicyRules, inout [PolicyWarning]) throws(PolicyError) ->
            Void
    /// Sets the property to the most restrictive value.
    let merge: @Sendable ([PolicyRules], inout PolicyRules) -> Void
    /// Null: not configured.
    let show: @Sendable (PolicyRules) -> JSONValue
    /// The value that these rules imply beside others that set the property; nil for none.
    let stand: @Sendable (PolicyRules) -> JSONValue?
    /// Whether these rules count beside all others.
    let counts: @Sendable (PolicyRules) -> Bool
    /// The words of an enumeration.
    let members: [String]
    /// Means something only where another property uses its feature.
    private let isDetail: Bool

    init<Value: Sendable>(
        _ key: String, _ path: any WritableKeyPath<PolicyRules, Value?> & Sendable,
        _ shape: Shape<Value?>, _ strictness: Strictness<Value>,
        _ unsaid: RuleDefault<Value>? = nil
    ) {
        let asks: @Sendable (PolicyRules) -> Bool = { unsaid?.isAsked($0) == true }
        let counts: @Sendable (PolicyRules) -> Bool = {
            unsaid?.isForAskingOnly != true || asks($0)
        }
        let speaks: @Sendable (PolicyRules) -> Bool = { $0[keyPath: path] != nil || asks($0) }
        self.key = key
        self.counts = counts
        members = shape.members
        isDetail = unsaid != nil
        read = { value, rules, warnings throws(PolicyError) in
            rules[keyPath: path] = try shape.decode(value, key: key, &warnings)
        }
        show = { shape.write($0[keyPath: path]) }
        stand = { speaks($0) ? shape.write($0[keyPath: path] ?? unsaid?.value) : nil }
        merge = { all, merged in
            let isSet: (PolicyRules) -> Bool = { $0[keyPath: path] != nil }
            // A property that no document sets stays unset: most do, and copying rules is dear.
            guard all.contains(where: isSet) else { return }
            let counting = all.filter(counts)
            let heard = counting.isEmpty ? all : counting
            guard heard.contains(where: isSet) else { return }
            let values = heard.filter(speaks).map { $0[keyPath: path] ?? unsaid?.value }
            merged[keyPath: path] = strictness.strictest(values)
        }
    }

    /// Whether a document that sets it alone has decided what may be done with an account's files.
    var decides: Bool { !isDetail && !Self.additions.contains(key) }

    /// What adds to other protections, tells something, or qualifies a PIN.
    private static let additions: Set<String> = [
        "mamdRecoveryPublicKey", "notificationRestriction", "mobileThreatDefensePartnerPriority",
        "minimumWarningOsVersion", "maximumWarningOsVersion", "minimumWarningAppVersion",
        "minimumWarningSdkVersion", "simplePinBlocked", "pinCharacterSet", "periodBeforePinReset",
        "previousPinBlockCount", "fingerprintBlocked", "faceIdBlocked",
        "pinRequiredInsteadOfBiometricTimeout", "managedBrowser",
    ]

    /// Whether these rules demand a wipe by it: Graph has the word in its name or in its value.
    func wipes(_ rules: PolicyRules) -> Bool {
        switch show(rules) {
        case .string("wipe"): true
        case .null, .string(""), .string("PT0S"): false
        default: key.contains("Wipe")
        }
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
            .onlyWhereAsked({ $0.saveAsBlocked == true }, [])),
        flag(
            "blockDataIngestionIntoOrganizationDocuments",
            \.blockDataIngestionIntoOrganizationDocuments),
        RuleField(
            "allowedDataIngestionLocations", \.allowedDataIngestionLocations,
            Shape<IngestionLocation>.choices.optional, .common(),
            .onlyWhereAsked({ $0.blockDataIngestionIntoOrganizationDocuments == true }, [])),
        choice("allowedOutboundClipboardSharingLevel", \.allowedOutboundClipboardSharingLevel),
        number(
            "allowedOutboundClipboardSharingExceptionLength",
            \.allowedOutboundClipboardSharingExceptionLength, 0...65_535, .smaller,
            .onlyWhereAsked(\.restrictsCopying, 0)),
        flag("filterOpenInToOnlyManagedApps", \.filterOpenInToOnlyManagedApps),
        flag(
            "disableProtectionOfManagedOutboundOpenInData",
            \.disableProtectionOfManagedOutboundOpenInData, .falsehood,
            .whereAsked(\.restrictsSending, false)),
        flag("protectInboundDataFromUnknownSources", \.protectInboundDataFromUnknownSources),
    ]

    private static let links: [RuleField] = [
        flag("managedBrowserToOpenLinksRequired", \.managedBrowserToOpenLinksRequired),
        choice("managedBrowser", \.managedBrowser),
        program(
            "customBrowserProtocol", \.customBrowserProtocol,
            .onlyWhereAsked({ $0.managedBrowserToOpenLinksRequired == true }, Principal.edge.http)),
        RuleField(
            "exemptedAppProtocols", \.exemptedAppProtocols, Shape<[NamedValue]>.schemes.optional,
            .commonValues, .onlyWhereAsked(\.restrictsSending, Principal.exemptedByDefault)),
        RuleField(
            "managedUniversalLinks", \.managedUniversalLinks,
            Shape<[String]>.sortedTexts.optional, .common(),
            .onlyWhereAsked(\.restrictsLinks, [])),
        RuleField(
            "exemptedUniversalLinks", \.exemptedUniversalLinks,
            Shape<[String]>.sortedTexts.optional, .common(),
            .onlyWhereAsked(\.restrictsLinks, [])),
        choice("dialerRestrictionLevel", \.dialerRestrictionLevel),
        program(
            "customDialerAppProtocol", \.customDialerAppProtocol,
            .onlyWhereAsked(\.asksForDialer, nil)),
        choice("protectedMessagingRedirectAppType", \.protectedMessagingRedirectAppType),
        program(
            "messagingRedirectAppUrlScheme", \.messagingRedirectAppUrlScheme,
            .onlyWhereAsked(\.asksForMessenger, nil)),
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
        number(
            "maximumPinRetries", \.maximumPinRetries, 1...65_535, .smaller,
            .whereAsked(\.countsTries, PinRules().maximumRetries)),
        choice(
            "appActionIfMaximumPinRetriesExceeded", \.appActionIfMaximumPinRetriesExceeded,
            .whereAsked(\.countsTries, .byDefault)),
        flag("simplePinBlocked", \.simplePinBlocked),
        number(
            "mamdLongPinLength", \.mamdLongPinLength, 16...EffectivePolicy.neverLong, .larger,
            .whereAsked({ $0.simplePinBlocked == true }, EffectivePolicy.neverLong)),
        number(
            "minimumPinLength", \.minimumPinLength, 0...65_535, .larger,
            .whereAsked({ $0.pinRequired == true }, PinRules().minimumLength)),
        choice("pinCharacterSet", \.pinCharacterSet),
        duration("periodBeforePinReset", \.periodBeforePinReset, .sooner),
        number("previousPinBlockCount", \.previousPinBlockCount, 0...24, .larger),
        flag(
            "disableAppPinIfDevicePinIsSet", \.disableAppPinIfDevicePinIsSet, .falsehood,
            .whereAsked({ $0.pinRequired == true }, false)),
        flag("organizationalCredentialsRequired", \.organizationalCredentialsRequired),
    ]

    private static let biometrics: [RuleField] = [
        flag("fingerprintBlocked", \.fingerprintBlocked),
        flag("faceIdBlocked", \.faceIdBlocked),
        duration(
            "pinRequiredInsteadOfBiometricTimeout", \.pinRequiredInsteadOfBiometricTimeout,
            .sooner),
    ]

    private static let time: [RuleField] = [
        duration("periodOfflineBeforeAccessCheck", \.periodOfflineBeforeAccessCheck, .sooner),
        duration("periodOnlineBeforeAccessCheck", \.periodOnlineBeforeAccessCheck, .sooner),
        duration(
            "periodOfflineBeforeWipeIsEnforced", \.periodOfflineBeforeWipeIsEnforced, .sooner),
        choice("appActionIfAccountIsClockedOut", \.appActionIfAccountIsClockedOut),
        duration(
            "gracePeriodToBlockAppsDuringOffClockHours",
            \.gracePeriodToBlockAppsDuringOffClockHours, .smaller,
            .whereAsked(
                { $0.appActionIfAccountIsClockedOut != nil }, PolicyDuration(seconds: 0))),
    ]

    private static let device: [RuleField] = [
        flag("deviceComplianceRequired", \.deviceComplianceRequired),
        choice(
            "appActionIfDeviceComplianceRequired", \.appActionIfDeviceComplianceRequired,
            .whereAsked({ $0.deviceComplianceRequired == true }, .byDefault)),
        RuleField(
            "allowedIosDeviceModels", \.allowedIosDeviceModels, .semicolonList, .commonNames),
        choice(
            "appActionIfIosDeviceModelNotAllowed", \.appActionIfIosDeviceModelNotAllowed,
            .whereAsked(\.limitsDeviceModels, .byDefault)),
        choice("maximumAllowedDeviceThreatLevel", \.maximumAllowedDeviceThreatLevel),
        choice(
            "mobileThreatDefenseRemediationAction", \.mobileThreatDefenseRemediationAction,
            .whereAsked(\.limitsThreats, .byDefault)),
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
        _ key: String, _ path: Path<Bool>, _ strictness: Strictness<Bool> = .truth,
        _ unsaid: RuleDefault<Bool>? = nil
    ) -> RuleField {
        RuleField(key, path, Shape<Bool>.truth.optional, strictness, unsaid)
    }

    private static func choice<Choice: PolicyChoice>(
        _ key: String, _ path: Path<Choice>, _ unsaid: RuleDefault<Choice>? = nil
    ) -> RuleField {
        RuleField(key, path, Shape<Choice>.choice.optional, .laterMember, unsaid)
    }

    private static func number(
        _ key: String, _ path: Path<Int>, _ range: ClosedRange<Int>, _ strictness: Strictness<Int>,
        _ unsaid: RuleDefault<Int>? = nil
    ) -> RuleField {
        RuleField(key, path, Shape<Int>.whole(range).optional, strictness, unsaid)
    }

    private static func duration(
        _ key: String, _ path: Path<PolicyDuration>, _ strictness: Strictness<PolicyDuration>,
        _ unsaid: RuleDefault<PolicyDuration>? = nil
    ) -> RuleField {
        RuleField(key, path, Shape<PolicyDuration>.duration.optional, strictness, unsaid)
    }

    private static func text(_ key: String, _ path: Path<String>) -> RuleField {
        RuleField(key, path, .filledText, .either)
    }

    private static func program(
        _ key: String, _ path: Path<String>, _ unsaid: RuleDefault<String>
    ) -> RuleField {
        RuleField(key, path, .filledText, .program, unsaid)
    }

    private static func version(
        _ key: String, _ path: Path<String>, _ strictness: Strictness<String>
    ) -> RuleField {
        RuleField(key, path, .version, strictness)
    }
}

extension PolicyRules {
    /// False if all that they set only adds to other rules, or tells something.
    var decide: Bool { RuleField.all.contains { $0.decides && $0.show(self) != .null } }

    /// The properties by which they demand a wipe.
    var wiping: [String] { RuleField.all.filter { $0.wipes(self) }.map(\.key) }
}
