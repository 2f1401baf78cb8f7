// Wakes the thread that waits for keys.

internal import MAMModel
internal import MAMSystem
internal import Synchronization

/// Signalled when a key is loaded or destroyed, and when the daemon ends.
package final class KeyNews: Sendable {
    private struct State {
        var count = 0
        var isAwaited = false
    }

    private let state = Mutex(State())
    private let wakeUp = Semaphore()

    /// The number of signals; read it before examining what they may have changed.
    package var count: Int { state.withLock { $0.count } }

    package func tell() {
        let wakes = state.withLock { state in
            state.count += 1
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if wakes { wakeUp.signal() }
    }

    /// Returns once there was a signal after that count. For one thread at a time.
    package func wait(since count: Int) {
        let waits = state.withLock { state in
            state.isAwaited = state.count == count
            return state.isAwaited
        }
        if waits { wakeUp.wait() }
    }
}
