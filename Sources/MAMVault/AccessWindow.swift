// Whether the files of one account and class may be used now: what every read and write asks.

internal import Glibc
internal import MAMSystem
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
    }

    private let rawState: Atomic<UInt8>
    private let readsInside = Atomic<Int>(0)

    init(_ state: State) { rawState = Atomic(state.rawValue) }

    package var state: State {
        State(rawValue: rawState.load(ordering: .sequentiallyConsistent)) ?? .closed
    }

    func set(_ state: State) {
        rawState.store(state.rawValue, ordering: .sequentiallyConsistent)
    }

    /// True if an existing file may be opened.
    var allowsOpen: Bool { state == .open }

    /// Enters the making of a new file, to be ended with ``endRead()``: a lock waits for it, and then finds the
    /// file among the open ones.
    func beginCreate() -> Bool {
        readsInside.add(1, ordering: .sequentiallyConsistent)
        if allowsCreate { return true }
        endRead()
        return false
    }

    /// True if a new file may be created.
    var allowsCreate: Bool { state == .open || state == .openFilesOnly }

    /// True if a write may go on to the file; its key decides then.
    var allowsWrite: Bool { state != .closed }

    /// Enters a read, to be ended with ``endRead()``; false if it is refused.
    ///
    /// Counts first and looks then, so that ``drainReads()`` after a change of state misses none.
    func beginRead() -> Bool {
        readsInside.add(1, ordering: .sequentiallyConsistent)
        if state == .open || state == .openFilesOnly { return true }
        endRead()
        return false
    }

    func endRead() { readsInside.subtract(1, ordering: .sequentiallyConsistent) }

    /// Waits until the reads that were let in are answered. They depend on the disk alone.
    func drainReads() {
        while readsInside.load(ordering: .sequentiallyConsistent) > 0 { usleep(200) }
    }
}
