// Deadlines, and waiting until one.

internal import CShims
internal import Glibc
internal import MAMLocks
internal import MAMModel

/// A time on `CLOCK_MONOTONIC`, which nobody can set.
package struct Deadline: Sendable, Comparable {
    let nanoseconds: Int64

    /// That many milliseconds from now.
    package init(milliseconds: Int) {
        nanoseconds = Self.clock + Int64(milliseconds) * 1_000_000
    }

    /// As far in the future as `past` is in the past.
    package init(asFarAheadAs past: Deadline) {
        let now = Self.clock
        nanoseconds = now + (now - past.nanoseconds)
    }

    package static var now: Deadline { Deadline(milliseconds: 0) }

    package init(seconds: Int) { self.init(milliseconds: seconds * 1000) }

    package var hasPassed: Bool { Self.clock >= nanoseconds }

    /// The remaining seconds, rounded up; 0 once it has passed.
    package var secondsLeft: Int {
        Int(max(0, nanoseconds - Self.clock + 999_999_999) / 1_000_000_000)
    }

    /// Returns once the deadline has passed.
    package func wait() {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }

    package static func < (one: Deadline, other: Deadline) -> Bool {
        one.nanoseconds < other.nanoseconds
    }

    private static var clock: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// A counting semaphore.
package final class Semaphore: @unchecked Sendable {
    // A POSIX semaphore must not move in memory.
    private let raw = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init() { sem_init(raw, 0, 0) }

    deinit {
        sem_destroy(raw)
        raw.deallocate()
    }

    package func signal() { sem_post(raw) }

    package func wait() {
        while sem_wait(raw) != 0 {}
    }

    /// False if the deadline passes first.
    package func wait(until deadline: Deadline) -> Bool {
        while mam_wait_until(raw, deadline.nanoseconds) != 0 {
            if Errno.current == .timedOut { return false }
        }
        return true
    }
}

/// Runs `body` on its own thread. False if it has not ended by the deadline; it then keeps running.
package func finishes(
    by deadline: Deadline, named name: String, _ body: @escaping @Sendable () -> Void
) -> Bool {
    let ended = Semaphore()
    do throws(Errno) {
        try startThread(named: name) {
            body()
            ended.signal()
        }
    } catch {
        // No thread could be started: run it here, however long it takes.
        body()
        return true
    }
    return ended.wait(until: deadline)
}

/// What `body` returns, on its own thread; nil if it has not ended by the deadline.
package func value<Value: Sendable>(
    by deadline: Deadline, named name: String, _ body: @escaping @Sendable () -> Value
) -> Value? {
    let found = Guarded<Value?>(nil)
    let hasEnded = finishes(by: deadline, named: name) {
        let value = body()
        found.withLock { $0 = value }
    }
    return hasEnded ? found.withLock { $0 } : nil
}
