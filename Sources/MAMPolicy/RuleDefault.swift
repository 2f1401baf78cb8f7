// The implicit values of a document.

internal import MAMModel

/// The value that a document implies for a property that it does not set, if it uses the feature
/// that the property belongs to. So another document cannot loosen its meaning.
struct RuleDefault<Value: Sendable>: Sendable {
    /// Whether a document uses the feature. A merged document does if one of its parts does.
    let isAsked: @Sendable (PolicyRules) -> Bool
    /// Nil if no value has that meaning; then nothing is substituted.
    let value: Value?
    /// Documents that do not use the feature are ignored if others do.
    let isForAskingOnly: Bool

    /// For a property that any document may set.
    static func whereAsked(
        _ isAsked: @escaping @Sendable (PolicyRules) -> Bool, _ value: Value?
    ) -> RuleDefault {
        RuleDefault(isAsked: isAsked, value: value, isForAskingOnly: false)
    }

    /// For a property without a meaning of its own, such as a list of exceptions: where nothing is
    /// restricted everything is permitted, and the list must not shorten another document's.
    static func onlyWhereAsked(
        _ isAsked: @escaping @Sendable (PolicyRules) -> Bool, _ value: Value?
    ) -> RuleDefault {
        RuleDefault(isAsked: isAsked, value: value, isForAskingOnly: true)
    }
}

// The features that documents use.
extension PolicyRules {
    var restrictsSending: Bool { allowedOutboundDataTransferDestinations ?? .allApps != .allApps }

    var restrictsCopying: Bool { allowedOutboundClipboardSharingLevel ?? .allApps != .allApps }

    /// Includes web pages, which may be opened wherever data may be sent.
    var restrictsLinks: Bool { restrictsSending || managedBrowserToOpenLinksRequired == true }

    /// Includes `blocked`, so that merging stepwise gives the same result.
    var asksForDialer: Bool { [.customApp, .blocked].contains(dialerRestrictionLevel) }

    var asksForMessenger: Bool {
        [.specificApps, .blocked].contains(protectedMessagingRedirectAppType)
    }

    /// The second chance before an offline wipe allows as many tries as a PIN.
    var countsTries: Bool {
        pinRequired == true || periodOfflineBeforeWipeIsEnforced.map { $0.seconds > 0 } == true
    }

    var limitsDeviceModels: Bool { allowedIosDeviceModels?.isEmpty == false }

    var limitsThreats: Bool { maximumAllowedDeviceThreatLevel ?? .notConfigured != .notConfigured }
}
