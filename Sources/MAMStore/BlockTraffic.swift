// Who is at which blocks of one file, so that requests for different blocks run side by side.

internal import MAMSystem

/// The reads and writes that are inside a file's shared lock.
///
/// Whoever holds that lock alone meets nobody here. Two requests wait for each other where they
/// have a block in common and one of them writes. Each is woken when it may go on, and not before:
/// with one condition for all, ten threads would wake nine others for nothing.
///
/// A newcomer that disturbs nobody inside may pass those who wait: the kernel's requests have a
/// block in common with the one before and the one behind, so that in strict order each would wait
/// for a thread to be woken. So that nobody starves, each is passed by only so often.
struct BlockTraffic: Sendable {
    /// A request's place in the order of arrival.
    struct Pass {
        fileprivate let number: Int
    }

    private struct Visit {
        let number: Int
        let blocks: ClosedRange<Int64>
        let writes: Bool
        /// Nil while it is inside.
        var waker: Semaphore?
        var timesPassed = 0

        var isInside: Bool { waker == nil }

        func excludes(_ other: Visit) -> Bool {
            (writes || other.writes) && blocks.overlaps(other.blocks)
        }
    }

    /// A write that is going to make the file larger.
    private struct Growth {
        let number: Int
        let start: Int64
        /// The last that was announced when it began to wait.
        var limit = 0
        /// Nil while it does not wait.
        var waker: Semaphore?

        func waits(for other: Growth) -> Bool {
            other.number <= limit && (other.start, other.number) < (start, number)
        }
    }

    private struct State {
        /// Both in the order of their numbers.
        var visits: [Visit] = []
        var growths: [Growth] = []
        var count = 0

        mutating func nextNumber() -> Int {
            count += 1
            return count
        }

        /// By who is inside, or came before and was passed often enough.
        func isBlocked(_ visit: Visit) -> Bool {
            visits.contains { other in
                guard other.number != visit.number, other.excludes(visit) else { return false }
                return other.isInside
                    || other.number < visit.number && other.timesPassed >= BlockTraffic.patience
            }
        }

        /// The visit goes inside, by those who came before it and wait.
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

    // MARK: Being at blocks

    /// Waits until nobody is at these blocks, or until nobody writes them. To be ended with
    /// ``leave(_:)``.
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

    /// While nobody writes anywhere.
    func readingAll<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let pass = enter(0...Int64.max, writes: false)
        defer { leave(pass) }
        return try body()
    }

    // MARK: Growing

    /// Tells that a write from this plain offset is going to make the file larger. To be ended with
    /// ``retire(_:)``.
    func announceGrowth(from start: Int64) -> Pass {
        state.withLock { state in
            let number = state.nextNumber()
            state.growths.append(Growth(number: number, start: start))
            return Pass(number: number)
        }
    }

    /// Waits, if there is a gap before this growth, for those that were announced by now and begin
    /// before it.
    ///
    /// The kernel sends what it has cached in order, and threads take it up out of order: without
    /// the wait the gap would be filled with sealed zeros, and written once more. No two wait for
    /// each other: who has entered waits for nobody's growth, and who waits here has not entered.
    /// Growths that are announced later do not count: a stream of them would keep this one for
    /// ever.
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
