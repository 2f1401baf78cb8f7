// Events in their wire form.

internal import MAMIdentity
internal import MAMModel
internal import MAMVault
internal import MAMWire

extension AccountEvent.Kind {
    /// The wire form without the account. The words are stable.
    var wire: Varlink.Workspace.Event {
        switch self {
        case .willBecomeUnavailable(let seconds):
            .init(event: "will-become-unavailable", seconds: seconds)
        case .unavailable: .init(event: "unavailable")
        case .idleLockDue(let seconds): .init(event: "idle-lock-due", seconds: seconds)
        case .idleLockAverted: .init(event: "idle-lock-averted")
        case .available: .init(event: "available")
        case .blocked(let block):
            .init(
                event: "blocked", kind: block.kind.rawValue, reason: block.reason.english,
                words: block.reason.wire)
        case .unblocked: .init(event: "unblocked")
        case .wiped: .init(event: "wiped")
        case .policyChanged: .init(event: "policy-changed")
        case .dataProtectionChanged: .init(event: "data-protection-changed")
        case .appConfigurationChanged: .init(event: "app-config-changed")
        case .launchWarning(let reason): .init(event: "launch-warning", reason: reason)
        case .enrollment(let status):
            .init(
                event: "enrollment-status", kind: status.request.rawValue, reason: status.reason,
                code: status.code, succeeded: status.succeeded)
        case .checkedIn(let failure):
            .init(event: "check-in", reason: failure, succeeded: failure == nil)
        case .userStatusChanged(let code): .init(event: "user-status-changed", code: code)
        case .complianceChecked(let code): .init(event: "compliance-status", code: code)
        case .restartRequired: .init(event: "restart-required")
        case .identitySwitchRequired(let session, let target, let reason):
            .init(
                event: "identity-switch-required", code: reason.rawValue, session: session,
                name: target)
        case .uiTaken(let session): .init(event: "ui-taken", session: session)
        case .uiReleased(let session): .init(event: "ui-released", session: session)
        case .policyRefused(let document, let reason):
            .init(event: "policy-refused", reason: reason, document: document)
        case .allowedAccountsChanged: .init(event: "allowed-accounts-changed")
        case .backingGone: .init(event: "backing-gone")
        case .accountToAdd(let name): .init(event: "account-to-add", name: name)
        }
    }
}
