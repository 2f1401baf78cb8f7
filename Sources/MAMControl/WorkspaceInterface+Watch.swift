// Events: one call, many replies.

internal import MAMModel
internal import MAMSystem
internal import MAMVault

extension WorkspaceInterface {
    /// Ends when the caller hangs up.
    func watch(_ call: VarlinkCall) throws -> [String: JSONValue] {
        try call.parameters.allowOnly([])
        guard call.wantsMore else { throw VarlinkError.expectedMore }
        let subscription: EventSubscription
        do throws(Errno) { subscription = try vault.subscribe() } catch {
            throw VarlinkError.systemError(error, "the event stream")
        }
        // After the subscription: nothing falls between the state and the first event.
        for account in controlled(by: call.peer) {
            let isOpen = account.state == .unlocked || account.state == .grace
            try call.reply(reply(isOpen ? .available : .unavailable, account))
        }
        while call.waitWhileConnected(for: subscription.readable) {
            for event in subscription.take() {
                let now = vault.accounts.first { $0.id == event.account }
                guard let account = event.last ?? now, isControlled(account, by: call.peer)
                else { continue }
                try call.reply(reply(event.kind, account))
            }
        }
        // Nobody is there to read a last reply.
        throw Errno.notConnected
    }

    private func reply(
        _ kind: AccountEvent.Kind, _ account: AccountStatus
    ) -> [String: JSONValue] {
        var event: [String: JSONValue] = ["account": AccountReport(account).json]
        switch kind {
        case .willBecomeUnavailable(let seconds):
            event["event"] = "will-become-unavailable"
            event["seconds"] = JSONValue(seconds)
        case .unavailable: event["event"] = "unavailable"
        case .available: event["event"] = "available"
        case .blocked(let block):
            event["event"] = "blocked"
            event["reason"] = .string(block.reason)
        case .unblocked: event["event"] = "unblocked"
        case .wiped: event["event"] = "wiped"
        }
        return ["event": .object(event)]
    }
}
