// Timestamps in RFC 3339.

internal import Glibc

/// A wall clock time, in milliseconds.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Since 1970, in UTC.
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    package static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    package static func < (one: Timestamp, other: Timestamp) -> Bool {
        one.milliseconds < other.milliseconds
    }

    /// Such as `2026-05-04T03:02:01.999Z`.
    package var text: String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let fields = [
            (Int(parts.tm_year) + 1900, 4), (Int(parts.tm_mon) + 1, 2), (Int(parts.tm_mday), 2),
            (Int(parts.tm_hour), 2), (Int(parts.tm_min), 2), (Int(parts.tm_sec), 2),
            (Int(rest), 3),
        ].map { padded($0, to: $1) }
        return "\(fields[0])-\(fields[1])-\(fields[2])T\(fields[3]):\(fields[4]):\(fields[5])"
            + ".\(fields[6])Z"
    }

    /// `2026-05-04`, or with a time: `2026-05-04T03:02:01`, with decimals or not, and `Z`, or an
    /// offset such as `+02:00`.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        var reader = Digits(bytes)
        guard let year = reader.number(of: 4), (1970...9999).contains(year), reader.take("-"),
            let month = reader.number(of: 2), (1...12).contains(month), reader.take("-"),
            let day = reader.number(of: 2), (1...31).contains(day)
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon) = (Int32(year - 1900), Int32(month - 1))
        parts.tm_mday = Int32(day)
        var offset = 0
        var decimals = 0
        if !reader.isAtEnd {
            guard reader.take("T") || reader.take("t") || reader.take(" "),
                let hour = reader.number(of: 2), hour < 24, reader.take(":"),
                let minute = reader.number(of: 2), minute < 60, reader.take(":"),
                let second = reader.number(of: 2), second <= 60
            else { return nil }
            (parts.tm_hour, parts.tm_min) = (Int32(hour), Int32(minute))
            parts.tm_sec = Int32(second)
            if reader.take(".") {
                guard let read = reader.thousandths() else { return nil }
                decimals = read
            }
            guard let read = reader.zone(), reader.isAtEnd else { return nil }
            offset = read
        }
        milliseconds = (Int64(timegm(&parts)) - Int64(offset)) * 1000 + Int64(decimals)
    }
}

private func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// Parses digits and signs from the front.
private struct Digits {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest.removeFirst()
        return true
    }

    /// Exactly this many digits.
    mutating func number(of count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    /// Decimals of a second, any number.
    mutating func thousandths() -> Int? {
        let digits = rest.prefix { (48...57).contains($0) }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        return (digits.prefix(3) + [48, 48, 48].dropFirst(min(3, digits.count)))
            .reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    /// The offset in seconds, to be subtracted for UTC.
    mutating func zone() -> Int? {
        if take("Z") || take("z") { return 0 }
        let isEast = take("+")
        guard isEast || take("-"), let hours = number(of: 2), take(":"),
            let minutes = number(of: 2)
        else { return nil }
        return (hours * 3600 + minutes * 60) * (isEast ? 1 : -1)
    }
}
