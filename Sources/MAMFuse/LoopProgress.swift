// Whether the threads that serve the mount still come for the next request.

internal import CShims

/// One look at them. Counted without a lock: it is asked when something may be stuck.
package struct LoopProgress {
    /// Threads that wait, so that the next request is taken at once.
    let waitingCount: Int
    /// Grows with each request that is taken.
    let requestCount: Int

    package init(waitingCount: Int, requestCount: Int) {
        self.waitingCount = waitingCount
        self.requestCount = requestCount
    }

    /// Of this process, which has one mount.
    package static var now: LoopProgress {
        let queues = 0..<mam_ring_queue_count()
        guard !queues.isEmpty else {
            return LoopProgress(
                waitingCount: Int(mam_device_waiting_count()),
                requestCount: Int(mam_device_request_count()))
        }
        // A queue whose threads are all busy stands still, whatever the others do.
        return LoopProgress(
            waitingCount: queues.map { Int(mam_ring_waiting_count($0)) }.min() ?? 0,
            requestCount: queues.map { Int(mam_ring_taken_count($0)) }.reduce(0, +))
    }
}

/// Compares two looks at the threads that serve the mount.
package struct ProgressCheck {
    private var lastCount: Int?

    package init() {}

    /// False if all threads are busy, and none of them has taken a request since the last look.
    package mutating func hasProgress(_ progress: LoopProgress) -> Bool {
        defer { lastCount = progress.requestCount }
        return progress.waitingCount > 0 || progress.requestCount != lastCount
    }
}
