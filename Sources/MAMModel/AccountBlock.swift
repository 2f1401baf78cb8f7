// Why an account's files cannot be used although nobody locked it.

/// What stands between an account and its files, beside a lock.
package struct AccountBlock: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Not used for so long that policy wants the passphrase again.
        case recheck
        /// No check-in for longer than policy allows.
        case offline
        /// No check-in for so long that policy wants the data gone, unless the account proves
        /// itself once more.
        case offlineWipe = "offline-wipe"
        /// A condition of policy on device, programs or account is not met.
        case launch
        /// Policy wants a passphrase, another one, or a new one.
        case passphrase
        /// Too many wrong passphrases.
        case lockedOut = "locked-out"
        /// Outside working hours.
        case clockedOut = "clocked-out"
        /// Deregistered without a wipe: the keys stay, sealed, until the account is registered
        /// again.
        case signedOut = "signed-out"
    }

    package let kind: Kind
    /// One sentence, with what to do about it.
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// True if it is no more than a lock, which the passphrase opens.
    package var endsWithUnlock: Bool { kind == .recheck }
}
