// Events: one call, many replies.

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
