// Files whose write-back begins together, a moment after they were written.

internal import CShims
internal import Glibc
internal import MAMModel
internal import Synchronization

/// Begins write-backs on a thread of its own, since no other call that creates a small file takes
/// the store as long (docs/adr/0106).
package final class WriteBackQueue: Sendable {
    private struct WriteBack {
        let file: Descriptor
        let offset: Int64
    }

    /// Those of the stored files.
    static let shared = WriteBackQueue(microseconds: 5000, begin: startWriteBack)

    /// How many files may stay open for it.
    package static let capacity = 64

    private struct State {
        var waiting: [WriteBack] = []
        /// The thread stays awake until nothing waits.
        var isAwake = false
    }

    private let state = Mutex(State())
    /// Held while write-backs begin, for who must come after them.
    private let beginning = Mutex(())
    private let hasThread = Mutex(false)
    private let wanted = Semaphore()
    private let microseconds: UInt32
    private let begin: @Sendable (Int32, Int64) -> Void

    /// `microseconds`: how long the first one waits for others. `begin`: takes a file's descriptor
    /// and an offset.
    package init(microseconds: UInt32, begin: @escaping @Sendable (Int32, Int64) -> Void) {
        self.microseconds = microseconds
        self.begin = begin
    }

    /// Begins it at once when the queue is full, or without a thread.
    package func add(_ file: Descriptor, from offset: Int64) {
        let (isFull, wakes) = state.withLock { state in
            guard state.waiting.count < Self.capacity else { return (true, false) }
            state.waiting.append(WriteBack(file: file, offset: offset))
            defer { state.isAwake = true }
            return (false, !state.isAwake)
        }
        if isFull { begin(file.raw, offset) }
        if wakes { wakeThread() }
    }

    /// Returns when all that were added have begun, but for those of `synced`, which the caller is
    /// about to sync.
    package func beginAll(except synced: Int32? = nil) {
        beginning.withLock { _ in
            for one in take() where one.file.raw != synced { begin(one.file.raw, one.offset) }
        }
    }

    private func take() -> [WriteBack] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private func wakeThread() {
        let hasThread = hasThread.withLock { hasThread in
            if !hasThread { hasThread = startsThread() }
            return hasThread
        }
        if hasThread { return wanted.signal() }
        state.withLock { $0.isAwake = false }
        beginAll()
    }

    private func startsThread() -> Bool {
        do throws(Errno) {
            try startThread(named: "write-back") {
                // The one that starts it may be bound to a processor.
                mam_run_anywhere()
                self.work()
            }
            return true
        } catch { return false }
    }

    private func work() -> Never {
        while true {
            wanted.wait()
            repeat {
                usleep(microseconds)
                beginAll()
            } while staysAwake()
        }
    }

    private func staysAwake() -> Bool {
        state.withLock { state in
            state.isAwake = !state.waiting.isEmpty
            return state.isAwake
        }
    }
}
