// Events: one call, many replies.

internal import MAMIdentity
internal import MAMModel
internal import MAMSystem
internal import MAMVault
internal import MAMWire

extension WorkspaceInterface {
    /// Ends when the caller hangs up.
    func watch(_ call: VarlinkCall) throws -> Wire.Watch.Reply {
        _ = try call.request(Wire.Watch.self)
        guard call.wantsMore else { throw VarlinkError.expectedMore }
        let subscription: EventSubscription
        do throws(Errno) { subscription = try vault.subscribe() } catch {
            throw VarlinkError.systemError(error, "the event stream")
        }
        // Read the state after subscribing, so that no event is missed in between.
        for account in controlled(by: call.peer) {
            let isOpen = account.state == .unlocked || account.state == .grace
            try call.reply(reply(isOpen ? .available : .unavailable, account))
            if let idle = Accounts(vault).idle(account.id), idle.isLockDue {
                try call.reply(reply(.idleLockDue(seconds: Int(idle.left)), account))
            }
        }
        while call.waitWhileConnected(for: subscription.readable) {
            for event in subscription.take() {
                guard let id = event.account else {
                    if isTrusted(call.peer) { try call.reply(reply(event.kind, nil)) }
                    continue
                }
                let now = Accounts(vault).one(id)
                guard let account = event.last ?? now, isControlled(account, by: call.peer)
                else { continue }
                try call.reply(reply(event.kind, account))
            }
        }
        // The caller has hung up: no final reply.
        throw Errno.notConnected
    }

    private func reply(
        _ kind: AccountEvent.Kind, _ account: AccountStatus?
    ) -> Wire.Watch.Reply {
        var event = kind.wire
        event.account = account.map { AccountReport($0) }
        return .init(event: event)
    }
}

// Events in their wire form.
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
        case .launchWarning(let reason):
            .init(event: "launch-warning", reason: reason.english, words: reason.wire)
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
