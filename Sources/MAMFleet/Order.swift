// The content of an order.

package import MAMModel

/// JSON with `action`, and of a wipe `account`: an account's id, 32 hexadecimal digits. The
/// statement has the nonce (its name) and the machine (its audience).
package struct Order: Sendable, Equatable {
    package let action: Action
    package let account: Bytes16?

    package enum Action: String, Sendable, CaseIterable {
        /// An account's keys and files are destroyed.
        case wipe
        /// The machine obeys the organisation no more.
        case leave
        /// All accounts are locked.
        case lock
        case checkIn
        /// The next status has more about the daemon, without names.
        case collectDiagnostics
    }

    package init(_ action: Action, account: Bytes16? = nil) {
        (self.action, self.account) = (action, account)
    }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        var members = try Members(parsing: bytes, of: "the order")
        action = try members.take("action", "one that this version of mamd knows") {
            $0.text.flatMap(Action.init(rawValue:))
        }
        account =
            action == .wipe
            ? try members.take("account", "an account's id", hexID) : nil
        try members.requireEmpty()
    }

    /// Whether all signatures of the role's threshold are needed: it cannot be undone.
    package var needsAll: Bool { action == .wipe || action == .leave }

    package var json: JSONValue {
        var members: [String: JSONValue] = ["action": .string(action.rawValue)]
        if let account { members["account"] = .string(account.description) }
        return .object(members)
    }
}
