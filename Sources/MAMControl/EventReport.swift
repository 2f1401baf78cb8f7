// The interface's type Event: one row for each kind.

internal import MAMIdentity
internal import MAMModel
internal import MAMVault

extension AccountEvent.Kind {
    /// The stable word, and what else this kind of event has.
    var wire: (word: String, members: [String: JSONValue]) {
        switch self {
        case .willBecomeUnavailable(let seconds):
            ("will-become-unavailable", ["seconds": JSONValue(seconds)])
        case .unavailable: ("unavailable", [:])
        case .available: ("available", [:])
        case .blocked(let block):
            ("blocked", ["kind": .string(block.kind.rawValue), "reason": .string(block.reason)])
        case .unblocked: ("unblocked", [:])
        case .wiped: ("wiped", [:])
        case .policyChanged: ("policy-changed", [:])
        case .dataProtectionChanged: ("data-protection-changed", [:])
        case .appConfigurationChanged: ("app-config-changed", [:])
        case .launchWarning(let reason): ("launch-warning", ["reason": .string(reason)])
        case .enrollment(let status):
            (
                "enrollment-status",
                [
                    "kind": .string(status.request.rawValue), "code": JSONValue(status.code),
                    "succeeded": .bool(status.succeeded), "reason": JSONValue(status.reason),
                ]
            )
        case .checkedIn(let failure):
            ("check-in", ["succeeded": .bool(failure == nil), "reason": JSONValue(failure)])
        case .userStatusChanged(let code): ("user-status-changed", ["code": JSONValue(code)])
        case .complianceChecked(let code): ("compliance-status", ["code": JSONValue(code)])
        case .restartRequired: ("restart-required", [:])
        case .identitySwitchRequired(let session, let target, let reason):
            (
                "identity-switch-required",
                [
                    "code": JSONValue(reason.rawValue), "session": .string(session),
                    "name": .string(target),
                ]
            )
        case .uiTaken(let session): ("ui-taken", ["session": .string(session)])
        case .uiReleased(let session): ("ui-released", ["session": .string(session)])
        case .policyRefused(let document, let reason):
            ("policy-refused", ["document": .string(document), "reason": .string(reason)])
        case .allowedAccountsChanged: ("allowed-accounts-changed", [:])
        case .accountToAdd(let name): ("account-to-add", ["name": .string(name)])
        }
    }
}
