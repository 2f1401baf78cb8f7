// Threads that lend a hand with what one request has to do many times.

internal import CShims
internal import Glibc
internal import Synchronization

/// Work in parts that do not depend on each other, and may be done by two threads at once.
package protocol SharedWork: AnyObject, Sendable {
    func doPart(_ part: Int)
}

/// A few threads, one for each processor but the caller's, made when they are first of use and
/// asleep otherwise.
///
/// Nobody waits for one to have time: who finds all of them busy, or is done before the one that he
/// woke has begun, does all by himself. So no set of requests waits for each other, whatever holds
/// a helper up.
package final class Helpers: Sendable {
    private struct State {
        var idle: [Helper] = []
        var madeCount = 0
        var hasEnded = false
    }

    /// Fewer are done before a thread that is woken has begun with much of it.
    package static let leastPartCount = 32

    private let maximumCount: Int
    private let state = Mutex(State())

    package init(maximumCount: Int = Helpers.usefulCount) { self.maximumCount = maximumCount }

    /// One request's work is shared by two threads, and more than a few listings at once are rare.
    package static var usefulCount: Int {
        max(0, min(3, sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1))
    }

    /// Does the parts 0 ..< count, each once, and returns when all are done.
    package func share(_ work: some SharedWork, count: Int) {
        guard count >= Self.leastPartCount, let helper = take() else {
            for part in 0..<count { work.doPart(part) }
            return
        }
        helper.share(work, count: count)
        putBack(helper)
    }

    /// Lets the threads go: those that are asleep now, the others when they are put back.
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

/// One thread and its work.
private final class Helper: Sendable {
    private struct Job {
        let work: any SharedWork
        let count: Int
    }

    /// Offered, and not begun.
    private let offer = Mutex<Job?>(nil)
    private let hasEnded = Atomic<Bool>(false)
    /// The next part that nobody has taken.
    private let next = Atomic<Int>(0)
    private let wanted = Semaphore()
    private let done = Semaphore()

    static func started() throws(Errno) -> Helper {
        let helper = Helper()
        try startThread(named: "helper") {
            // Where requests come by rings it is made by a thread that stays on one processor.
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
        // Not begun by now: then it finds nothing when it wakes. Otherwise it is in the middle of
        // its last parts.
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

    /// Few, as one thread waits for the other's last.
    private static let step = 2
}
