// An account's current state, and when it will change.

package import MAMModel

/// Seconds count from now, except ``sinceCheckIn``. Nil means never.
package struct AccountOutlook: Sendable, Equatable {
    /// Files of these classes can be opened.
    package var openClasses: [ProtectionClass] = []
    package var openFiles = 0
    package var containedPrograms = 0
    /// Until the current grace period ends.
    package var graceSeconds: Int?
    /// Until an account with idle files is locked or has to enter its passphrase again.
    package var idleSeconds: Int?
    package var sinceCheckIn: Int?
    /// Until it is blocked, and until it is wiped, if no check-in succeeds.
    package var offlineBlockSeconds: Int?
    package var offlineWipeSeconds: Int?
    /// The policy documents that cover it; nil where the caller may not see them.
    package var policies: [String]?

    package init() {}
}
