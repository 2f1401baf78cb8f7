// ISO 8601 durations of fixed length, as policies contain them.

/// A non-negative `Edm.Duration`.
package struct PolicyDuration: Sendable, Hashable, Comparable {
    package var seconds: Int64

    package init(seconds: Int64) { self.seconds = seconds }

    package static func < (one: Self, other: Self) -> Bool { one.seconds < other.seconds }
}

extension PolicyDuration {
    /// Parses a text; it may be negative, as in Microsoft's own samples. Nil unless it is
    /// `[-]P[nD][T[nH][nM][n[.f]S]]`: years, months and weeks are not accepted.
    static func parse(_ text: String) -> (duration: PolicyDuration, isNegative: Bool)? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let body = isNegative ? text.utf8.dropFirst() : text.utf8[...]
        guard body.first == UInt8(ascii: "P"), body.count > 1 else { return nil }
        let halves = body.dropFirst().split(
            separator: UInt8(ascii: "T"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let days = sum(halves[0], [("D", 86_400)]) else { return nil }
        var seconds = days
        if halves.count == 2 {
            guard !halves[1].isEmpty,
                let time = sum(halves[1], [("H", 3600), ("M", 60), ("S", 1)])
            else { return nil }
            let (total, overflow) = days.addingReportingOverflow(time)
            guard !overflow else { return nil }
            seconds = total
        }
        return (PolicyDuration(seconds: isNegative ? 0 : seconds), isNegative)
    }

    /// Numbers followed by their units, in order.
    private static func sum(
        _ text: Substring.UTF8View, _ units: [(name: Character, seconds: Int64)]
    ) -> Int64? {
        var rest = Substring(text)
        var units = units[...]
        var total: Int64 = 0
        while !rest.isEmpty {
            let number = rest.prefix { !$0.isLetter }
            rest = rest.dropFirst(number.count)
            guard let name = rest.popFirst(),
                let place = units.firstIndex(where: { $0.name == name }),
                let count = whole(number, mayHaveFraction: name == "S")
            else { return nil }
            let (product, overflow) = count.multipliedReportingOverflow(by: units[place].seconds)
            let (sum, overflows) = total.addingReportingOverflow(product)
            guard !overflow, !overflows else { return nil }
            total = sum
            units = units[(place + 1)...]
        }
        return total
    }

    /// Rounds fractions up, so that only zero becomes zero.
    private static func whole(_ text: Substring, mayHaveFraction: Bool) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard areDigits, parts.count == 1 || (parts.count == 2 && mayHaveFraction),
            let whole = Int64(parts[0])
        else { return nil }
        guard parts.count == 2, parts[1].contains(where: { $0 != "0" }) else { return whole }
        return whole == .max ? nil : whole + 1
    }

    /// The text form in documents.
    var text: String {
        let parts = [
            (seconds / 86_400, "D"), (seconds / 3600 % 24, "H"), (seconds / 60 % 60, "M"),
            (seconds % 60, "S"),
        ].map { $0 == 0 ? "" : "\($0)\($1)" }
        let time = parts[1...].joined()
        return seconds == 0 ? "PT0S" : "P\(parts[0])\(time.isEmpty ? "" : "T\(time)")"
    }
}
