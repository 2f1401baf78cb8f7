// Whether an account's files can be read now.

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
