// Apple's Data Protection classes: when a file may be read.

/// A protection class, strictest first. The raw value is the one in a file's header.
package enum ProtectionClass: UInt8, Sendable, CaseIterable {
    /// A: readable only while unlocked, and for the grace period after.
    case complete = 1
    /// B: like A, but an open file stays open, and files can be created while locked.
    case completeUnlessOpen = 2
    /// C: readable from the first unlock until the daemon ends.
    case completeUntilFirstUserAuthentication = 3
    /// D: readable whenever the daemon runs on this device.
    case none = 4

    /// The one-letter name: `A`, `B`, `C` or `D`.
    package var letter: String {
        switch self {
        case .complete: "A"
        case .completeUnlessOpen: "B"
        case .completeUntilFirstUserAuthentication: "C"
        case .none: "D"
        }
    }

    /// Apple's name, as `MaxFileProtectionLevel` spells it.
    package var appleName: String {
        switch self {
        case .complete: "NSFileProtectionComplete"
        case .completeUnlessOpen: "NSFileProtectionCompleteUnlessOpen"
        case .completeUntilFirstUserAuthentication:
            "NSFileProtectionCompleteUntilFirstUserAuthentication"
        case .none: "NSFileProtectionNone"
        }
    }

    /// Reads a letter in either case or Apple's name.
    package init?(_ text: String) {
        let found = Self.allCases.first { $0.letter == text.uppercased() || $0.appleName == text }
        guard let found else { return nil }
        self = found
    }

    /// The class that allows access for longer.
    package func weaker(of other: ProtectionClass) -> ProtectionClass {
        rawValue >= other.rawValue ? self : other
    }

    /// The class that allows access for less time. Policy's class is a minimum.
    package func stricter(of other: ProtectionClass) -> ProtectionClass {
        rawValue <= other.rawValue ? self : other
    }
}
