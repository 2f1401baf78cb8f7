// How an account is used now, and what time will bring it.

/// All seconds are from now on, but for ``sinceCheckIn``; nil: that never comes.
package struct AccountOutlook: Sendable, Equatable {
    /// Files of these classes can be opened.
    package var openClasses: [ProtectionClass] = []
    package var openFiles = 0
    /// Until the grace period that runs ends.
    package var graceSeconds: Int?
    /// Until it is locked, or its passphrase is asked for anew, if nobody uses its files.
    package var idleSeconds: Int?
    package var sinceCheckIn: Int?
    /// Until it is blocked, and until it is to be wiped, if no check-in succeeds.
    package var offlineBlockSeconds: Int?
    package var offlineWipeSeconds: Int?
    /// The policy documents that cover it; nil where they are not told.
    package var policies: [String]?

    package init() {}
}
