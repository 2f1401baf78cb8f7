// Whether the threads that serve the mount still come for the next request.

internal import CShims
internal import MAMTree
internal import MAMWorkspace

/// One look at them. Counted without a lock: it is asked when something may be stuck.
package struct LoopProgress {
    /// Those that take requests from one place.
    package struct Queue {
        /// Threads that wait, so that the next request is taken at once.
        let waitingCount: Int
        /// Grows with each request that is taken.
        let requestCount: Int

        package init(waitingCount: Int, requestCount: Int) {
            self.waitingCount = waitingCount
            self.requestCount = requestCount
        }
    }

    fileprivate let queues: [Queue]

    package init(_ queues: [Queue]) { self.queues = queues }

    /// Of this process, which has one mount.
    package static var now: LoopProgress {
        let queues = 0..<mam_ring_queue_count()
        guard !queues.isEmpty else {
            return LoopProgress([
                Queue(
                    waitingCount: Int(mam_device_waiting_count()),
                    requestCount: Int(mam_device_request_count()))
            ])
        }
        return LoopProgress(
            queues.map {
                Queue(
                    waitingCount: Int(mam_ring_waiting_count($0)),
                    requestCount: Int(mam_ring_taken_count($0)))
            })
    }
}

/// Compares two looks at the threads that serve the mount.
package struct ProgressCheck {
    /// How many requests each queue had taken.
    private var lastCounts: [Int] = []

    package init() {}

    /// False if all threads of a queue are busy, and none of them has taken a request since the last look. Whatever the other
    /// queues do: its callers are not served by them.
    package mutating func hasProgress(_ progress: LoopProgress) -> Bool {
        let counts = progress.queues.map(\.requestCount)
        defer { lastCounts = counts }
        guard counts.count == lastCounts.count else { return true }
        return zip(progress.queues, lastCounts).allSatisfy { queue, lastCount in
            queue.waitingCount > 0 || queue.requestCount != lastCount
        }
    }
}
