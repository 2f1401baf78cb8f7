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
        LoopProgress(
            waitingCount: Int(mam_device_waiting_count()),
            requestCount: Int(mam_device_request_count()))
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
