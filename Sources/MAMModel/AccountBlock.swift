// Why an account's files are unavailable although nobody locked it.

/// What keeps an account from its files, apart from a lock.
package struct AccountBlock: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The account was idle for so long that policy requires the passphrase again.
        case recheck
        /// No check-in for longer than policy allows.
        case offline
        /// No check-in for so long that policy requires a wipe, unless the account authenticates
        /// once more.
        case offlineWipe = "offline-wipe"
        /// A condition of policy on the device, its programs or the account is not met.
        case launch
        /// Policy requires a passphrase, or a different or newer one.
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
    /// One sentence that includes the next step.
    package let reason: Message

    package init(_ kind: Kind, _ reason: Message) {
        self.kind = kind
        self.reason = reason
    }

    /// True if the passphrase alone ends the block, as it ends a lock.
    package var endsWithUnlock: Bool { kind == .recheck }
}
