// Whether the threads that serve the mount still come for the next request.

internal import Synchronization

/// Counts without a lock: it is asked when something may be stuck.
package final class LoopProgress: Sendable {
    private let waitingThreads = Atomic<Int>(0)
    private let requests = Atomic<Int>(0)

    package init() {}

    /// Around a thread's wait for a request.
    package func waiting<Result>(_ receive: () -> Result) -> Result {
        waitingThreads.add(1, ordering: .relaxed)
        defer {
            waitingThreads.subtract(1, ordering: .relaxed)
            requests.add(1, ordering: .relaxed)
        }
        return receive()
    }

    /// A thread waits, so that the next request is taken at once.
    package var isWaiting: Bool { waitingThreads.load(ordering: .relaxed) > 0 }

    /// Grows with each request that is taken.
    package var requestCount: Int { requests.load(ordering: .relaxed) }
}

/// Compares two looks at the threads that serve the mount.
package struct ProgressCheck {
    private var lastCount: Int?

    package init() {}

    /// False if all threads are busy, and none of them has taken a request since the last look.
    package mutating func hasProgress(_ progress: LoopProgress) -> Bool {
        let count = progress.requestCount
        defer { lastCount = count }
        return progress.isWaiting || count != lastCount
    }
}
