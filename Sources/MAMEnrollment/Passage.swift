// How much time has passed, whatever was done to the clock meanwhile.

internal import Glibc
package import MAMSystem

/// The last look at the clocks. Time is what adds up from look to look: the greater of what the two clocks say, and never
/// less than nothing. So nobody gains time by setting the clock back; and who sets it forward by mistake, and back again,
/// loses what the clock jumped over, once, until the next check-in starts to count anew.
package struct Passage: Sendable, Equatable {
    package var wallSeconds: Int64
    package var secondsSinceBoot: Int64
    /// Which boot those seconds are since.
    package var boot: String

    package init(_ moment: Moment, boot: String) {
        wallSeconds = moment.wallSeconds
        secondsSinceBoot = moment.secondsSinceBoot
        self.boot = boot
    }

    /// The seconds since the last look; this is the last one from now on. After a reboot only the wall clock can tell.
    package mutating func advance(to moment: Moment, boot now: String) -> Int64 {
        let byWall = Self.difference(moment.wallSeconds, wallSeconds)
        let byBoot = boot == now ? Self.difference(moment.secondsSinceBoot, secondsSinceBoot) : 0
        self = Passage(moment, boot: now)
        return max(0, byWall, byBoot)
    }

    private static func difference(_ later: Int64, _ earlier: Int64) -> Int64 {
        let (value, overflow) = later.subtractingReportingOverflow(earlier)
        return overflow ? (later > earlier ? .max : .min) : value
    }

    /// The kernel's name of this boot; empty where it does not tell.
    package static let currentBoot: String = {
        let bytes =
            (try? readSmallFile("/proc/sys/kernel/random/boot_id", maximumByteCount: 64)) ?? []
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }()
}

extension Int64 {
    /// Time that adds up stays at the end of what can be counted.
    func addingTime(_ seconds: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(seconds)
        return overflow ? .max : sum
    }
}
