// What time it is, in a way that nobody gains anything by setting it back.

internal import Glibc
internal import Synchronization

/// Reads both of the kernel's clocks. Tests, and the debug settings, move it forward.
package final class Clock: Sendable {
    /// Seconds that are added to both clocks.
    private let offset = Atomic<Int64>(0)
    private let read: @Sendable (clockid_t) -> Int64

    package init() {
        read = { clock in
            var time = timespec()
            clock_gettime(clock, &time)
            return Int64(time.tv_sec)
        }
    }

    /// A clock that stands still but for ``advance(bySeconds:)``; for tests.
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

/// A point in time by two clocks: the one that people set, and the one that only a boot sets back.
package struct Moment: Sendable, Hashable {
    /// Since 1970.
    package var wallSeconds: Int64
    /// `CLOCK_BOOTTIME`: time asleep counts.
    package var secondsSinceBoot: Int64

    package init(wallSeconds: Int64, secondsSinceBoot: Int64) {
        self.wallSeconds = wallSeconds
        self.secondsSinceBoot = secondsSinceBoot
    }
}
