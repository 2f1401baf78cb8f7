// Whether the files of one account and class may be used now: what every read and write asks.

internal import Glibc
internal import MAMModel
package import MAMSystem
internal import Synchronization

/// One account's window for one class. Asking costs two atomic operations and takes no lock.
package final class AccessWindow: Sendable {
    /// What a window lets through.
    package enum State: UInt8, Sendable {
        /// Everything.
        case open
        /// Files that are open, and new ones: class B after a lock.
        case openFilesOnly
        /// Writes only, so that what the kernel has cached can still arrive.
        case closing
        /// Nothing.
        case closed
        /// Nothing, and never again: the account was wiped.
        case revoked
    }

    private let rawState: Atomic<UInt8>
    private let usesInside = Atomic<Int>(0)
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

    /// True if a write may go on to the file; its key decides then.
    package var allowsWrite: Bool {
        let state = state
        return state != .closed && state != .revoked
    }

    /// Enters a read or the making of a file, to be ended with ``endUse()``; false if it is
    /// refused. A lock waits for it, and finds a new file among the open ones.
    ///
    /// Counts first and looks then, so that ``drainUses()`` after a change of state misses none.
    package func beginUse() -> Bool {
        noteUse()
        usesInside.add(1, ordering: .sequentiallyConsistent)
        if allowsUse { return true }
        endUse()
        return false
    }

    package func endUse() { usesInside.subtract(1, ordering: .sequentiallyConsistent) }

    /// Waits until what was let in is answered. That depends on the disk alone; false if it takes
    /// too long.
    package func drainUses(until deadline: Deadline) -> Bool {
        while usesInside.load(ordering: .sequentiallyConsistent) > 0 {
            if deadline.hasPassed { return false }
            usleep(200)
        }
        return true
    }

    /// Remembers that a file was opened, read or written.
    @inline(__always)
    package func noteUse() {
        // Looked at first: many threads come this way, and a store makes the others' caches fetch
        // it anew.
        if !isUsed.load(ordering: .relaxed) { isUsed.store(true, ordering: .relaxed) }
    }

    /// True if there was a use since this was last asked.
    package func takeUse() -> Bool { isUsed.exchange(false, ordering: .relaxed) }
}
