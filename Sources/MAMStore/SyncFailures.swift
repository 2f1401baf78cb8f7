// Failed syncs of one file, and who has been told of them.

package import MAMSystem
package import Synchronization

/// The syncs of a file that failed, each to be told once to every handle: what errseq_t is to Linux.
///
/// All handles of a file share one descriptor, and the kernel tells a failed write-back once to each of these: whoever
/// syncs first, be it a lock, would take the error away from the programs whose content it was.
package final class SyncFailures: Sendable {
    private struct State {
        var count: UInt64 = 0
        var last: Errno?
        /// Some handle has been told of the last one.
        var isTold = true
    }

    private let state = Mutex(State())

    /// Where a new handle begins. Like a new description of Linux's it hears of a failure that nobody has heard of.
    package var mark: UInt64 {
        state.withLock { $0.isTold ? $0.count : $0.count - 1 }
    }

    func note(_ error: Errno) {
        state.withLock { state in
            state.count += 1
            state.last = error
            state.isTold = false
        }
    }

    /// The last failure if a handle has not been told of it; it has then.
    package func take(since mark: borrowing Atomic<UInt64>) -> Errno? {
        state.withLock { state in
            guard mark.exchange(state.count, ordering: .relaxed) != state.count else { return nil }
            state.isTold = true
            return state.last
        }
    }

    /// A failure that no handle has been told of.
    package var untold: Errno? {
        state.withLock { $0.isTold ? nil : $0.last }
    }
}
