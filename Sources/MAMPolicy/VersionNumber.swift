// Versions as administrators write them.

/// Integers separated by dots. A missing one counts as 0: 10 equals 10.0.
package struct VersionNumber: Sendable {
    private let parts: [UInt64]

    /// Nil for anything else, which cannot be compared.
    package init?(_ text: String) {
        guard text.utf8.count <= 256 else { return nil }
        var parts: [UInt64] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(part)
            else { return nil }
            parts.append(number)
        }
        while parts.last == 0 { parts.removeLast() }
        self.parts = parts
    }
}

extension VersionNumber: Comparable {
    package static func < (one: Self, other: Self) -> Bool {
        one.parts.lexicographicallyPrecedes(other.parts)
    }
}
