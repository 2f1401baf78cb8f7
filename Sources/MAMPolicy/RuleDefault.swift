// What a document means by what it leaves open.

internal import MAMModel

/// What a document that asks for something stands for where it says nothing of a property that
/// belongs to it. So nobody else's document can loosen what it means by itself.
struct RuleDefault<Value: Sendable>: Sendable {
    /// Whether a document asks for what the property belongs to. One that is merged asks if one of
    /// its parts does.
    let isAsked: @Sendable (PolicyRules) -> Bool
    /// Nil if no value has that meaning: then none takes its place.
    let value: Value?
    /// Beside documents that ask, those that do not are not heard.
    let isForAskingOnly: Bool

    /// Of a property that every document may state.
    static func whereAsked(
        _ isAsked: @escaping @Sendable (PolicyRules) -> Bool, _ value: Value?
    ) -> RuleDefault {
        RuleDefault(isAsked: isAsked, value: value, isForAskingOnly: false)
    }

    /// Of a property that means nothing by itself, such as a list of exceptions: where nothing is
    /// restricted, everything is allowed, and a list must not shorten anybody else's.
    static func onlyWhereAsked(
        _ isAsked: @escaping @Sendable (PolicyRules) -> Bool, _ value: Value?
    ) -> RuleDefault {
        RuleDefault(isAsked: isAsked, value: value, isForAskingOnly: true)
    }
}

// What documents ask for.
extension PolicyRules {
    var restrictsSending: Bool { allowedOutboundDataTransferDestinations ?? .allApps != .allApps }

    var restrictsCopying: Bool { allowedOutboundClipboardSharingLevel ?? .allApps != .allApps }

    /// Also web pages, which may be opened wherever data may be sent.
    var restrictsLinks: Bool { restrictsSending || managedBrowserToOpenLinksRequired == true }

    /// Blocked is more than that: it counts here, so that merging in steps comes to the same.
    var asksForDialer: Bool { [.customApp, .blocked].contains(dialerRestrictionLevel) }

    var asksForMessenger: Bool {
        [.specificApps, .blocked].contains(protectedMessagingRedirectAppType)
    }

    /// The second chance before an offline wipe has as many tries as a PIN.
    var countsTries: Bool {
        pinRequired == true || periodOfflineBeforeWipeIsEnforced.map { $0.seconds > 0 } == true
    }

    var limitsDeviceModels: Bool { allowedIosDeviceModels?.isEmpty == false }

    var limitsThreats: Bool { maximumAllowedDeviceThreatLevel ?? .notConfigured != .notConfigured }
}
