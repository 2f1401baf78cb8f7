// Elapsed time that survives changes of the wall clock.

internal import Glibc
internal import MAMModel
package import MAMSystem

/// The latest reading of the wall clock and of the boot clock.
///
/// Between two readings, the greater of the two clocks' advances counts, and never less than zero:
/// setting the wall clock back gains no time. Setting it forward and back again counts the jump
/// once, until the next check-in resets the count.
package struct ClockReading: Sendable, Equatable {
    package var wallSeconds: Int64
    package var secondsSinceBoot: Int64
    /// The boot ID that `secondsSinceBoot` belongs to.
    package var boot: String

    package init(_ moment: Moment, boot: String) {
        wallSeconds = moment.wallSeconds
        secondsSinceBoot = moment.secondsSinceBoot
        self.boot = boot
    }

    /// Replaces the reading and returns the elapsed seconds. After a reboot only the wall clock
    /// counts.
    package mutating func advance(to moment: Moment, boot now: String) -> Int64 {
        let byWall = Self.difference(moment.wallSeconds, wallSeconds)
        let byBoot = boot == now ? Self.difference(moment.secondsSinceBoot, secondsSinceBoot) : 0
        self = ClockReading(moment, boot: now)
        return max(0, byWall, byBoot)
    }

    private static func difference(_ later: Int64, _ earlier: Int64) -> Int64 {
        let (value, overflow) = later.subtractingReportingOverflow(earlier)
        return overflow ? (later > earlier ? .max : .min) : value
    }

    /// The kernel's boot ID; empty if it cannot be read.
    package static let currentBoot: String = {
        let bytes =
            (try? readSmallFile("/proc/sys/kernel/random/boot_id", maximumByteCount: 64)) ?? []
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }()
}
