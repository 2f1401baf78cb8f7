// Whether the threads that serve the mount still take requests.

internal import CTransport

/// A sample of their counters, taken without a lock: something may hang.
package struct LoopProgress {
    /// The threads of one queue.
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
}

extension Mount {
    var loopProgress: LoopProgress {
        let context = requestTransport.context
        let count = mam_transport_queue_count(context)
        // Without the kernel's queues there is /dev/fuse.
        let queues = count > 0 ? 0..<count : -1..<0
        return LoopProgress(
            queues.map {
                LoopProgress.Queue(
                    waitingCount: Int(mam_transport_waiting_count(context, $0)),
                    requestCount: Int(mam_transport_taken_count(context, $0)))
            })
    }
}

/// Compares two samples.
package struct ProgressCheck {
    /// How many requests each queue had taken.
    private var lastCounts: [Int] = []

    package init() {}

    /// False if all threads of a queue are busy and took no request since the last sample. Other
    /// queues do not count: they do not serve its callers.
    package mutating func hasProgress(_ progress: LoopProgress) -> Bool {
        let counts = progress.queues.map(\.requestCount)
        defer { lastCounts = counts }
        guard counts.count == lastCounts.count else { return true }
        return zip(progress.queues, lastCounts).allSatisfy { queue, lastCount in
            queue.waitingCount > 0 || queue.requestCount != lastCount
        }
    }
}
