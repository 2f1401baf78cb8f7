// Events: one call, many replies.

internal import MAMModel
internal import MAMSystem
internal import MAMVault

extension WorkspaceInterface {
    /// Ends when the caller hangs up.
    func watch(_ call: VarlinkCall) throws -> [String: JSONValue] {
        try call.parameters.allowOnly([])
        let subscription: EventSubscription
        do throws(Errno) { subscription = try vault.subscribe() } catch {
            throw VarlinkError.systemError(error, "the event stream")
        }
        // Who has this misses nothing from now on.
        try call.reply(["event": nil])
        while call.waitWhileConnected(for: subscription.readable) {
            let own = Set(controlled(by: call.peer).map(\.bytes))
            for event in subscription.take() where own.contains(event.account.bytes) {
                try call.reply(["event": json(event)])
            }
        }
        return ["event": nil]
    }

    private func json(_ event: AccountEvent) -> JSONValue {
        guard let status = vault.accounts.first(where: { $0.id == event.account }) else {
            return nil
        }
        var members: [String: JSONValue] = ["account": AccountReport(status).json]
        switch event.kind {
        case .willBecomeUnavailable(let seconds):
            members["event"] = "will-become-unavailable"
            members["seconds"] = JSONValue(seconds)
        case .unavailable: members["event"] = "unavailable"
        case .available: members["event"] = "available"
        }
        return .object(members)
    }
}
