// The content of an order.

package import MAMModel

/// JSON with `action`; of a wipe also `account`, an account's id, and of a withdrawal `order`,
/// another order's nonce, each of 32 hexadecimal digits. The statement has the order's own nonce
/// (its name) and the machine (its audience).
package struct Order: Sendable, Equatable {
    package let action: Action
    package let account: Bytes16?
    /// The nonce of the order that a withdrawal takes back.
    package let withdrawn: Bytes16?

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
        /// Another order is refused from now on, and not begun if it was accepted.
        case withdraw
    }

    package init(_ action: Action, account: Bytes16? = nil) {
        (self.action, self.account, withdrawn) = (action, account, nil)
    }

    package init(withdrawing nonce: Bytes16) {
        (action, account, withdrawn) = (.withdraw, nil, nonce)
    }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        var members = try Members(parsing: bytes, of: "the order")
        action = try members.take("action", "one that this version of mamd knows") {
            $0.text.flatMap(Action.init(rawValue:))
        }
        account =
            action == .wipe
            ? try members.take("account", "an account's id", hexID) : nil
        withdrawn = action == .withdraw ? try members.take("order", "a nonce", hexID) : nil
        try members.requireEmpty()
    }

    /// Whether all signatures of the role's threshold are needed: it cannot be undone, or keeps a
    /// machine from what cannot.
    package var needsAll: Bool { action.needsAll }

    package var json: JSONValue {
        var members: [String: JSONValue] = ["action": .string(action.rawValue)]
        if let account { members["account"] = .string(account.description) }
        if let withdrawn { members["order"] = .string(withdrawn.description) }
        return .object(members)
    }
}

extension Order.Action {
    fileprivate var needsAll: Bool { self == .wipe || self == .leave || self == .withdraw }

    /// How many days an order lasts unless its signer says otherwise. A machine that was lost may
    /// be switched on late; what asks for something now is of no use by then.
    package var usualDays: Int64 { needsAll ? SignedDocument.longestDays : 30 }
}
