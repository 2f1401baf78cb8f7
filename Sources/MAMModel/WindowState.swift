// Whether an account's files can be read now.

/// The state of one account's access window.
package enum WindowState: String, Sendable {
    /// Never unlocked since the daemon started: classes A, B and C are closed.
    case beforeFirstUnlock = "before-first-unlock"
    /// All classes are open.
    case unlocked
    /// About to be locked: the keys are still here, for some seconds in which an unlock cancels, or
    /// while the last writes arrive.
    case grace
    /// Classes A and B are closed; C is open.
    case locked
}
