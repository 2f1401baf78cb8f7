// Helper threads that share the repeated work of one request.

internal import CShims
internal import Glibc
internal import MAMModel
internal import Synchronization

/// Work in independent parts, which two threads may do at the same time.
package protocol SharedWork: AnyObject, Sendable {
    func doPart(_ part: Int)
}

/// A few threads, at most one less than there are processors; started on first use, asleep when
/// idle.
///
/// No caller ever waits for a helper to become free: if all are busy, or the one it woke has not
/// started yet, the caller does all parts itself. So requests cannot wait for each other, whatever
/// delays a helper.
package final class Helpers: Sendable {
    private struct State {
        var idle: [Helper] = []
        var madeCount = 0
        var hasEnded = false
    }

    /// Fewer parts are done before a woken thread has started.
    package static let leastPartCount = 32

    private let maximumCount: Int
    private let state = Mutex(State())

    package init(maximumCount: Int = Helpers.usefulCount) { self.maximumCount = maximumCount }

    /// Two threads share one request's work, and more than a few concurrent listings are rare.
    package static var usefulCount: Int {
        max(0, min(3, sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1))
    }

    /// Calls `work` for each part in 0 ..< count once, and returns when all are done.
    package func share(_ work: some SharedWork, count: Int) {
        guard count >= Self.leastPartCount, let helper = take() else {
            for part in 0..<count { work.doPart(part) }
            return
        }
        helper.share(work, count: count)
        putBack(helper)
    }

    /// Ends the threads: idle ones now, busy ones when they are put back.
    package func end() {
        let idle = state.withLock { state in
            state.hasEnded = true
            defer { state.idle = [] }
            return state.idle
        }
        for helper in idle { helper.end() }
    }

    private func take() -> Helper? {
        state.withLock { state in
            if let idle = state.idle.popLast() { return idle }
            guard state.madeCount < maximumCount, !state.hasEnded,
                let new = try? Helper.started()
            else { return nil }
            state.madeCount += 1
            return new
        }
    }

    private func putBack(_ helper: Helper) {
        let isKept = state.withLock { state in
            if !state.hasEnded { state.idle.append(helper) }
            return !state.hasEnded
        }
        if !isKept { helper.end() }
    }
}

/// One helper thread.
private final class Helper: Sendable {
    private struct Job {
        let work: any SharedWork
        let count: Int
    }

    /// A job that the thread has not taken yet.
    private let offer = Mutex<Job?>(nil)
    private let hasEnded = Atomic<Bool>(false)
    /// The next part to do.
    private let next = Atomic<Int>(0)
    private let wanted = Semaphore()
    private let done = Semaphore()

    static func started() throws(Errno) -> Helper {
        let helper = Helper()
        try startThread(named: "helper") {
            // io_uring worker threads are bound to one processor, and a new thread inherits that.
            mam_run_anywhere()
            helper.wait()
        }
        return helper
    }

    func share(_ work: some SharedWork, count: Int) {
        next.store(0, ordering: .relaxed)
        offer.withLock { $0 = Job(work: work, count: count) }
        wanted.signal()
        doParts(of: work, count)
        // A job that the helper has not taken is withdrawn. Otherwise the helper is at its last
        // parts.
        let isTakenBack = offer.withLock { $0.take() } != nil
        if !isTakenBack { done.wait() }
    }

    func end() {
        hasEnded.store(true, ordering: .relaxed)
        wanted.signal()
    }

    private func wait() {
        while true {
            wanted.wait()
            if let job = offer.withLock({ $0.take() }) {
                doParts(of: job.work, job.count)
                done.signal()
            } else if hasEnded.load(ordering: .relaxed) {
                return
            }
        }
    }

    private func doParts(of work: some SharedWork, _ count: Int) {
        while true {
            let first = next.add(Self.step, ordering: .relaxed).oldValue
            guard first < count else { return }
            for part in first..<min(first + Self.step, count) { work.doPart(part) }
        }
    }

    /// Small, because the thread that finishes first waits for the other's last step.
    private static let step = 2
}
