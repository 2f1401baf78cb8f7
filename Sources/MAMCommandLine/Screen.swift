// Durations, sizes and times for people.

internal import Glibc
package import MAMModel
internal import MAMSystem

extension Int {
    /// Seconds as `40 s`, `4 min 10 s`, `11 h 5 min`, `1 d 22 h` or `89 d`.
    package var asDuration: String {
        switch self {
        case ..<60: "\(Swift.max(0, self)) s"
        case ..<3600: self % 60 == 0 ? "\(self / 60) min" : "\(self / 60) min \(self % 60) s"
        case ..<86_400:
            self / 60 % 60 == 0 ? "\(self / 3600) h" : "\(self / 3600) h \(self / 60 % 60) min"
        default:
            self / 3600 % 24 == 0 || self >= 864_000
                ? "\(self / 86_400) d" : "\(self / 86_400) d \(self / 3600 % 24) h"
        }
    }

    /// The first part of ``asDuration``, for approximate values.
    package var asRoughDuration: String {
        asDuration.split(separator: " ").prefix(2).joined(separator: " ")
    }

    /// The time since an event.
    package var asTimeAgo: Message { self < 5 ? "just now" : "\(asRoughDuration) ago" }

    /// `1 file`, `1,204 files`.
    package func counted(_ noun: String) -> Message { Message(self, noun: noun) }

    /// `1,204`.
    package var grouped: Message { Message(grouping: self) }

    /// `1 byte`, `1204 bytes`.
    package var asByteCount: Message {
        Message(self, one: "\(self) byte", many: "\(self) bytes")
    }

    /// Bytes as `512 B`, `4.0 KiB`, `12 MiB`.
    package var asBytes: String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        var value = Double(self)
        var unit = 0
        while value >= 1000, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        if unit == 0 || value >= 10 { return "\(Int(value.rounded())) \(units[unit])" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}

/// Seconds since 1970.
package func currentTime() -> Int { Int(Clock().now.wallSeconds) }

/// Seconds since 1970 in the local time zone, by default as `12:34:56`. `format`: see strftime(3).
package func localTime(_ seconds: Int, _ format: String = "%H:%M:%S") -> String {
    var moment = time_t(seconds)
    var parts = tm()
    localtime_r(&moment, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, format, &parts)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
