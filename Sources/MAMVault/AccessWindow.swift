// Whether the files of one account and class are usable now: every read and write checks this.

internal import Glibc
internal import MAMLocks
internal import MAMModel
package import MAMSystem
internal import Synchronization

/// One account's window for one class. A check costs two atomic operations, on memory that other
/// processors' reads do not write, and takes no lock.
package final class AccessWindow: Sendable {
    /// What a window permits.
    package enum State: UInt8, Sendable {
        /// Everything.
        case open
        /// Use of open files and creation of new ones: class B after a lock.
        case openFilesOnly
        /// Only writes, so that data in the kernel's cache can still be stored.
        case closing
        /// Nothing.
        case closed
        /// Nothing, permanently: the account was wiped.
        case revoked
    }

    private let rawState: Atomic<UInt8>
    private let usesInside = PerProcessor()
    private let isUsed = Atomic<Bool>(false)

    package init(_ state: State) { rawState = Atomic(state.rawValue) }

    package var state: State {
        State(rawValue: rawState.load(ordering: .sequentiallyConsistent)) ?? .closed
    }

    package func set(_ state: State) {
        rawState.store(state.rawValue, ordering: .sequentiallyConsistent)
    }

    /// True if an existing file may be opened.
    package var allowsOpen: Bool { state == .open }

    /// True if an open file may be read, or written into the kernel's cache, and a new one created.
    package var allowsUse: Bool { state == .open || state == .openFilesOnly }

    /// True if a write may proceed to the file; its key decides then.
    package var allowsWrite: Bool {
        let state = state
        return state != .closed && state != .revoked
    }

    /// A use that ``beginUse()`` admitted.
    package struct Use: Sendable {
        /// Where it is counted: a thread may end it on another processor, and a count that fell
        /// there would hide another use from ``drainUses(until:)``.
        fileprivate let place: Int
    }

    /// Begins a read or the creation of a file; nil if refused. Pair with ``end(_:)``. A lock
    /// waits for it, and then finds a new file among the open ones.
    ///
    /// Counts before it checks, so that ``drainUses()`` after a change of state misses nothing.
    package func beginUse() -> Use? {
        noteUse()
        let use = Use(place: usesInside.here)
        usesInside[use.place].pointee.value.add(1, ordering: .sequentiallyConsistent)
        if allowsUse { return use }
        end(use)
        return nil
    }

    package func end(_ use: Use) {
        usesInside[use.place].pointee.value.subtract(1, ordering: .sequentiallyConsistent)
    }

    /// Waits until admitted uses have ended, which depends only on the disk; false if the deadline
    /// passes first.
    package func drainUses(until deadline: Deadline) -> Bool {
        for place in 0..<usesInside.count {
            while usesInside[place].pointee.value.load(ordering: .sequentiallyConsistent) > 0 {
                if deadline.hasPassed { return false }
                usleep(200)
            }
        }
        return true
    }

    /// Records that a file was opened, read or written.
    @inline(__always)
    package func noteUse() {
        // Checked first: a store by many threads would invalidate each other's cache lines.
        if !isUsed.load(ordering: .relaxed) { isUsed.store(true, ordering: .relaxed) }
    }

    /// True if there was a use since the last call.
    package func takeUse() -> Bool { isUsed.exchange(false, ordering: .relaxed) }
}
