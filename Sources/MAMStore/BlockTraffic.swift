// Range locks on one file's blocks, so that requests for different blocks run in parallel.

internal import MAMLocks
internal import MAMModel
internal import MAMSystem

/// The reads and writes under a file's shared lock.
///
/// A thread that holds the file's lock exclusively needs none of this. Two requests conflict if
/// they have a block in common and one of them writes. Each waiter has its own semaphore: with one
/// condition variable, each release would wake all waiters for nothing.
///
/// A request that conflicts with none in progress may overtake waiters: consecutive requests of the
/// kernel have a block in common, so in strict order each would have to wake the next. To prevent
/// starvation, each waiter is overtaken only ``patience`` times.
struct BlockTraffic: ~Copyable, Sendable {
    /// A request's number in the order of arrival.
    struct Pass {
        fileprivate let number: Int
    }

    private struct Visit {
        let number: Int
        let blocks: ClosedRange<Int64>
        let writes: Bool
        /// Nil while the request is in progress.
        var waker: Semaphore?
        var timesPassed = 0

        var isInside: Bool { waker == nil }

        func excludes(_ other: Visit) -> Bool {
            (writes || other.writes) && blocks.overlaps(other.blocks)
        }
    }

    /// A write that will extend the file.
    private struct Growth {
        let number: Int
        let start: Int64
        /// The last growth announced before this one began to wait.
        var limit = 0
        /// Nil while it is not waiting.
        var waker: Semaphore?

        func waits(for other: Growth) -> Bool {
            other.number <= limit && (other.start, other.number) < (start, number)
        }
    }

    private struct State {
        /// Both in the order of their numbers.
        var visits = ShortList<Visit>()
        var growths = ShortList<Growth>()
        var count = 0

        mutating func nextNumber() -> Int {
            count += 1
            return count
        }

        /// By a request in progress, or by an earlier waiter that was overtaken often enough.
        func isBlocked(_ visit: Visit) -> Bool {
            visits.contains { other in
                guard other.number != visit.number, other.excludes(visit) else { return false }
                return other.isInside
                    || other.number < visit.number && other.timesPassed >= BlockTraffic.patience
            }
        }

        /// Counts that the request overtakes earlier waiters that it conflicts with.
        mutating func notePassing(of visit: Visit) {
            for index in visits.indices
            where visits[index].number < visit.number && !visits[index].isInside
                && visits[index].excludes(visit)
            {
                visits[index].timesPassed += 1
            }
        }
    }

    private let state = Guarded(State())
    private static let patience = 16

    // MARK: Requests

    /// Waits until no conflicting request for these blocks is in progress. Pair with ``leave(_:)``.
    func enter(_ blocks: ClosedRange<Int64>, writes: Bool) -> Pass {
        let (number, waker) = state.withLock { state -> (Int, Semaphore?) in
            var visit = Visit(number: state.nextNumber(), blocks: blocks, writes: writes)
            if state.isBlocked(visit) {
                visit.waker = Semaphore()
            } else {
                state.notePassing(of: visit)
            }
            state.visits.append(visit)
            return (visit.number, visit.waker)
        }
        waker?.wait()
        return Pass(number: number)
    }

    func leave(_ pass: Pass) {
        state.withLock { state in
            state.visits.removeAll { $0.number == pass.number }
            for index in state.visits.indices {
                let visit = state.visits[index]
                guard let waker = visit.waker, !state.isBlocked(visit) else { continue }
                state.notePassing(of: visit)
                state.visits[index].waker = nil
                waker.signal()
            }
        }
    }

    /// Runs `body` while no write is in progress anywhere.
    func readingAll<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let pass = enter(0...Int64.max, writes: false)
        defer { leave(pass) }
        return try body()
    }

    // MARK: Growth

    /// Announces a write that will extend the file, from this plain offset on. Pair with
    /// ``retire(_:)``.
    func announceGrowth(from start: Int64) -> Pass {
        state.withLock { state in
            let number = state.nextNumber()
            state.growths.append(Growth(number: number, start: start))
            return Pass(number: number)
        }
    }

    /// If there is a gap before this growth, waits for the growths announced so far that start
    /// before it.
    ///
    /// The kernel sends cached writes in order, but threads start them out of order: without the
    /// wait the gap would be filled with sealed zeros and then written again. This cannot deadlock:
    /// a request that has entered does not wait for growth, and a request that waits here has not
    /// entered. Later announcements do not count; otherwise a stream of them could delay this one
    /// forever.
    func waitForGap(before pass: Pass, ifThere hasGap: () -> Bool) {
        guard hasGap() else { return }
        let waker = state.withLock { state -> Semaphore? in
            guard let index = state.growths.firstIndex(where: { $0.number == pass.number }) else {
                return nil
            }
            state.growths[index].limit = state.count
            let growth = state.growths[index]
            guard state.growths.contains(where: growth.waits) else { return nil }
            let waker = Semaphore()
            state.growths[index].waker = waker
            return waker
        }
        waker?.wait()
    }

    func retire(_ pass: Pass) {
        state.withLock { state in
            state.growths.removeAll { $0.number == pass.number }
            for index in state.growths.indices {
                let growth = state.growths[index]
                guard let waker = growth.waker, !state.growths.contains(where: growth.waits)
                else { continue }
                state.growths[index].waker = nil
                waker.signal()
            }
        }
    }
}
