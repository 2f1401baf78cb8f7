// The time, read so that setting the clock back gains nothing.

internal import Glibc
internal import Synchronization

/// Reads both kernel clocks. Tests and the debug settings can advance it.
package final class Clock: Sendable {
    /// Seconds added to both clocks.
    private let offset = Atomic<Int64>(0)
    private let read: @Sendable (clockid_t) -> Int64

    package init() {
        read = { clock in
            var time = timespec()
            clock_gettime(clock, &time)
            return Int64(time.tv_sec)
        }
    }

    /// A clock that only ``advance(bySeconds:)`` moves; for tests.
    package init(standingAt wallSeconds: Int64, sinceBoot: Int64 = 1000) {
        read = { $0 == CLOCK_REALTIME ? wallSeconds : sinceBoot }
    }

    /// One reading of both clocks.
    package var now: Moment {
        let offset = offset.load(ordering: .relaxed)
        return Moment(
            wallSeconds: read(CLOCK_REALTIME) + offset,
            secondsSinceBoot: read(CLOCK_BOOTTIME) + offset)
    }

    package func advance(bySeconds seconds: Int64) {
        offset.add(seconds, ordering: .relaxed)
    }
}

/// A point in time by two clocks: wall time, which users can set, and time since boot, which only a
/// boot resets.
package struct Moment: Sendable, Hashable {
    /// Since 1970.
    package var wallSeconds: Int64
    /// `CLOCK_BOOTTIME`, which includes suspended time.
    package var secondsSinceBoot: Int64

    package init(wallSeconds: Int64, secondsSinceBoot: Int64) {
        self.wallSeconds = wallSeconds
        self.secondsSinceBoot = secondsSinceBoot
    }
}
