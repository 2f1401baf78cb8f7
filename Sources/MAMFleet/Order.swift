// The content of an order.

package import MAMModel

/// JSON with `action`; of a wipe or a reset also `account`, an account's id, and of a withdrawal
/// `order`, another order's nonce, each of 32 hexadecimal digits; of a reset the members of
/// ``Reset``. The statement has the order's own nonce (its name) and the machine (its audience).
package struct Order: Sendable, Equatable {
    package let action: Action
    package let account: Bytes16?
    /// The nonce of the order that a withdrawal takes back.
    package let withdrawn: Bytes16?
    package let reset: Reset?

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
        /// Whoever asked for help at the machine chooses a new passphrase.
        case reset
    }

    package init(_ action: Action, account: Bytes16? = nil) {
        (self.action, self.account, withdrawn, reset) = (action, account, nil, nil)
    }

    package init(withdrawing nonce: Bytes16) {
        (action, account, withdrawn, reset) = (.withdraw, nil, nonce, nil)
    }

    package init(_ reset: Reset, of account: Bytes16) {
        (action, self.account, withdrawn, self.reset) = (.reset, account, nil, reset)
    }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        var members = try Members(parsing: bytes, of: "the order")
        action = try members.take("action", "one that this version of mamd knows") {
            $0.text.flatMap(Action.init(rawValue:))
        }
        account =
            action == .wipe || action == .reset
            ? try members.take("account", "an account's id", hexID) : nil
        withdrawn = action == .withdraw ? try members.take("order", "a nonce", hexID) : nil
        reset = action == .reset ? try Reset(&members) : nil
        try members.requireEmpty()
    }

    /// Whether all signatures of the role's threshold are needed: it cannot be undone, keeps a
    /// machine from what cannot, or brings keys.
    package var needsAll: Bool { action.needsAll }

    package var json: JSONValue {
        var members: [String: JSONValue] = ["action": .string(action.rawValue)]
        if let account { members["account"] = .string(account.description) }
        if let withdrawn { members["order"] = .string(withdrawn.description) }
        if let reset { members.merge(reset.members) { $1 } }
        return .object(members)
    }
}

extension Order.Action {
    fileprivate var needsAll: Bool {
        switch self {
        case .wipe, .leave, .withdraw, .reset: true
        case .lock, .checkIn, .collectDiagnostics: false
        }
    }

    /// Whether a machine that has it may wait for a person, or for its next status.
    package var waits: Bool { self == .reset || self == .collectDiagnostics }

    /// How many days an order lasts unless its signer says otherwise. A machine that was lost may
    /// be switched on late; what asks for something now is of no use by then.
    package var usualDays: Int64 {
        if self == .reset { return 3 }
        return needsAll ? SignedDocument.longestDays : 30
    }
}
