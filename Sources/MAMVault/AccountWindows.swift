// The four windows of one account, and the state that they are in together.

package import MAMModel
package import MAMSystem
internal import Synchronization

/// Changed only by the vault's transitions, one at a time; asked by every request.
package final class AccountWindows: Sendable {
    private let complete: AccessWindow
    private let unlessOpen: AccessWindow
    private let untilFirstUnlock: AccessWindow
    private let always = AccessWindow(.open)
    private let status: Guarded<Status>
    /// How often a lock was asked for, whatever was open then: an unlock that began before one of
    /// them comes too late.
    private let locks = Atomic<Int>(0)

    private struct Status {
        package var state: WindowState = .beforeFirstUnlock
        /// Counts transitions, so that a grace period that was cancelled ends in nothing.
        package var transition = 0
        /// A thread waits for a grace period's end. One is enough, however often it is cancelled
        /// and begun anew.
        package var hasTimer = false
        package var isBlocked = false
        /// Of the last grace period that was begun.
        package var graceEnd = Deadline(milliseconds: 0)
    }

    package init() {
        complete = AccessWindow(.closed)
        // New files of class B can be made at any time: that takes the public key alone.
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

    /// Ends a grace period too. False if nothing was closed, nor about to be.
    package func unlock() -> Bool {
        status.withLock { $0.isBlocked = false }
        for window in all { window.set(.open) }
        complete.noteUse()
        return advance(to: .unlocked) != .unlocked
    }

    /// True if a file of a class that locks was used since this was last asked.
    package func takeUse() -> Bool {
        // Both are asked: each forgets.
        let uses = [complete.takeUse(), unlessOpen.takeUse()]
        return uses.contains(true)
    }

    /// Whether the caller of ``beginGrace(seconds:)`` has to start the thread that waits for its
    /// end.
    package enum Grace { case needsTimer, hasTimer }

    /// Begins a grace period; nil if there is nothing to lock, or one runs already.
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

    /// What is left of the grace period that runs; nil if none does.
    package var graceSeconds: Int? {
        status.withLock { $0.state == .grace ? $0.graceEnd.secondsLeft : nil }
    }

    /// The grace period that runs, as the number of its transition; nil if none does, and then the
    /// caller's thread is taken to have ended.
    package func currentGrace() -> Int? {
        status.withLock { status in
            if status.state == .grace { return status.transition }
            status.hasTimer = false
            return nil
        }
    }

    /// True if that grace period still runs.
    package func isCurrent(_ transition: Int) -> Bool {
        status.withLock { $0.transition == transition && $0.state == .grace }
    }

    /// The first step of a lock: nothing is opened or read any more, and writes may still arrive.
    package func beginClosing() {
        advance(to: .grace)
        complete.set(.closing)
        unlessOpen.set(.openFilesOnly)
    }

    /// The last step before the keys go.
    package func finishClosing() {
        complete.set(.closed)
        advance(to: .locked)
    }

    /// True from the first step of a block to its end.
    package var isBlocked: Bool { status.withLock { $0.isBlocked } }

    /// The first step of a block: like ``beginClosing()``, for every class.
    package func beginBlocking() {
        advance(to: .grace)
        status.withLock { $0.isBlocked = true }
        for window in all { window.set(.closing) }
    }

    /// The last one. What was never unlocked stays so.
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

    /// Ends all windows: nothing passes them any more, despite remaining references.
    package func revoke() {
        for window in all { window.set(.revoked) }
        advance(to: .locked)
    }

    /// Waits for what was let in before; false if that takes too long.
    package func drainAll(until deadline: Deadline) -> Bool {
        all.map { $0.drainUses(until: deadline) }.allSatisfy(\.self)
    }

    package var all: [AccessWindow] { [complete, unlessOpen, untilFirstUnlock, always] }

    /// Returns the state before.
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
