// logind's events by user.

/// Called on the watch's one thread, in order; the next call waits for the previous one to return.
///
/// A screen lock arrives twice, as a signal and as a property change, so every call may be
/// repeated.
package struct SessionEvents: Sendable {
    /// A session of this uid was locked; nil: the user is unknown.
    let locked: @Sendable (UInt32?) -> Void
    /// A session of this uid was unlocked.
    let unlocked: @Sendable (UInt32) -> Void
    /// The machine is about to sleep, and waits for the return if sleep can be delayed. Nil: do not
    /// delay it.
    let prepareForSleep: (@Sendable () -> Void)?

    package init(
        locked: @escaping @Sendable (UInt32?) -> Void,
        unlocked: @escaping @Sendable (UInt32) -> Void,
        prepareForSleep: (@Sendable () -> Void)?
    ) {
        self.locked = locked
        self.unlocked = unlocked
        self.prepareForSleep = prepareForSleep
    }
}
