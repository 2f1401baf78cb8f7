// What logind has to say, in terms of users.

/// Called on the watch's one thread, in the order in which things happened; until a call returns,
/// the next one waits.
///
/// A screen lock arrives twice, as a signal and as a property of the session, so every call may
/// come again.
package struct SessionEvents: Sendable {
    /// A session of this uid was locked; nil: whose, cannot be found out.
    let locked: @Sendable (UInt32?) -> Void
    /// A session of this uid was unlocked.
    let unlocked: @Sendable (UInt32) -> Void
    /// The machine is about to sleep, and waits for the return if it can be made to. nil: let it
    /// sleep.
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
