// Why an account is closed, and whether its files can be read now.

/// What keeps an account from its files, apart from a lock.
package struct AccountBlock: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The account was idle for so long that policy requires the passphrase again.
        case recheck
        /// No check-in for longer than policy allows.
        case offline
        /// No check-in for so long that policy requires a wipe, unless the account authenticates
        /// once more.
        case offlineWipe
        /// A condition of policy on the device, its programs or the account is not met.
        case launch
        /// Policy requires a passphrase, or a different or newer one.
        case passphrase
        /// Too many wrong passphrases.
        case lockedOut
        /// Outside working hours.
        case clockedOut
        /// Deregistered without a wipe: the keys stay, sealed, until the account is registered
        /// again.
        case signedOut

        /// True if the passphrase alone ends the block, as it ends a lock.
        package var endsWithUnlock: Bool { self == .recheck }
    }

    package let kind: Kind
    /// One sentence that includes the next step.
    package let reason: Message

    package init(_ kind: Kind, _ reason: Message) {
        self.kind = kind
        self.reason = reason
    }

    package var endsWithUnlock: Bool { kind.endsWithUnlock }
}

/// The state of one account's access window.
package enum WindowState: String, Sendable, CaseIterable {
    /// Never unlocked since the daemon started: classes A, B and C are closed.
    case beforeFirstUnlock
    /// All classes are open.
    case unlocked
    /// A lock is pending: keys remain for the grace period, in which an unlock cancels it, or until
    /// the last writes are stored.
    case grace
    /// Classes A and B are closed; C is open.
    case locked
}
