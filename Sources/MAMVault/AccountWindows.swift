// One account's four windows, and their common state.

internal import MAMLocks
package import MAMModel
package import MAMSystem
internal import Synchronization

/// Changed only in a transition (``Windows/transition(of:_:)``); read by every request.
package final class AccountWindows: Sendable {
    private let complete: AccessWindow
    private let unlessOpen: AccessWindow
    private let untilFirstUnlock: AccessWindow
    private let always = AccessWindow(.open)
    private let status: Guarded<Status>
    /// The number of lock requests, whatever was open then: an unlock that began before the latest
    /// one must not open anything.
    private let locks = Atomic<Int>(0)

    private struct Status {
        package var state: WindowState = .beforeFirstUnlock
        /// Counts transitions, so that a cancelled grace period ends without effect.
        package var transition = 0
        /// A thread is waiting for the end of a grace period. One suffices, however often a period
        /// is cancelled and restarted.
        package var hasTimer = false
        package var isBlocked = false
        /// The end of the last grace period.
        package var graceEnd = Deadline(milliseconds: 0)
    }

    package init() {
        complete = AccessWindow(.closed)
        // Class B files can always be created, because that takes only the public key.
        unlessOpen = AccessWindow(.openFilesOnly)
        untilFirstUnlock = AccessWindow(.closed)
        status = Guarded(Status())
    }

    package var state: WindowState { status.withLock { $0.state } }

    package var lockCount: Int { locks.load(ordering: .sequentiallyConsistent) }
    package func noteLock() { locks.add(1, ordering: .sequentiallyConsistent) }

    /// True while files of every class can be opened.
    package var hasAllKeys: Bool { [.unlocked, .grace].contains(state) }

    package func window(_ protectionClass: ProtectionClass) -> AccessWindow {
        switch protectionClass {
        case .complete: complete
        case .completeUnlessOpen: unlessOpen
        case .completeUntilFirstUserAuthentication: untilFirstUnlock
        case .none: always
        }
    }

    /// Also cancels a grace period. False if nothing was closed or about to close.
    package func unlock() -> Bool {
        status.withLock { $0.isBlocked = false }
        for window in all { window.set(.open) }
        noteUse()
        return advance(to: .unlocked) != .unlocked
    }

    package func noteUse() { complete.noteUse() }

    /// True if a file of class A or B was used since the last call.
    package func takeUse() -> Bool {
        // Evaluates both, because each call resets its flag.
        let uses = [complete.takeUse(), unlessOpen.takeUse()]
        return uses.contains(true)
    }

    /// Whether the caller of ``beginGrace(seconds:)`` must start the thread that waits for the end.
    package enum Grace { case needsTimer, hasTimer }

    /// Starts a grace period; nil if nothing is open, or one is already running.
    package func beginGrace(seconds: Int) -> Grace? {
        status.withLock { status in
            guard status.state == .unlocked else { return nil }
            status.state = .grace
            status.graceEnd = Deadline(seconds: seconds)
            status.transition += 1
            defer { status.hasTimer = true }
            return status.hasTimer ? .hasTimer : .needsTimer
        }
    }

    /// The seconds left of the grace period; nil if none is running.
    package var graceSeconds: Int? {
        status.withLock { $0.state == .grace ? $0.graceEnd.secondsLeft : nil }
    }

    /// The transition number of the grace period; nil if none is running: then the calling thread
    /// must end.
    package func currentGrace() -> Int? {
        status.withLock { status in
            if status.state == .grace { return status.transition }
            status.hasTimer = false
            return nil
        }
    }

    /// True if that grace period is still running.
    package func isCurrent(_ transition: Int) -> Bool {
        status.withLock { $0.transition == transition && $0.state == .grace }
    }

    /// The first step of a lock: refuses opens and reads; writes may still arrive.
    package func beginClosing() {
        advance(to: .grace)
        complete.set(.closing)
        unlessOpen.set(.openFilesOnly)
    }

    /// The last step before the keys are dropped.
    package func finishClosing() {
        complete.set(.closed)
        advance(to: .locked)
    }

    /// True from the first step of a block until it ends.
    package var isBlocked: Bool { status.withLock { $0.isBlocked } }

    /// The first step of a block: ``beginClosing()`` for all classes.
    package func beginBlocking() {
        advance(to: .grace)
        status.withLock { $0.isBlocked = true }
        for window in all { window.set(.closing) }
    }

    /// The last step of a block. An account that was never unlocked stays in that state.
    package func finishBlocking(hasKeyC: Bool) {
        for window in all { window.set(.closed) }
        advance(to: hasKeyC ? .locked : .beforeFirstUnlock)
    }

    /// Opens what is open after a lock, or before the first unlock.
    package func endBlock(hasKeyC: Bool) {
        guard isBlocked else { return }
        status.withLock { $0.isBlocked = false }
        unlessOpen.set(.openFilesOnly)
        untilFirstUnlock.set(hasKeyC ? .open : .closed)
        always.set(.open)
    }

    /// Closes all windows permanently, despite remaining references.
    package func revoke() {
        for window in all { window.set(.revoked) }
        advance(to: .locked)
    }

    /// Waits until admitted uses have ended; false if the deadline passes first.
    package func drainAll(until deadline: Deadline) -> Bool {
        all.map { $0.drainUses(until: deadline) }.allSatisfy(\.self)
    }

    package var all: [AccessWindow] { [complete, unlessOpen, untilFirstUnlock, always] }

    /// Returns the previous state.
    @discardableResult
    private func advance(to state: WindowState) -> WindowState {
        status.withLock { status in
            defer {
                status.state = state
                status.transition += 1
            }
            return status.state
        }
    }
}
