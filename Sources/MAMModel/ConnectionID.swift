// What lasts as long as somebody's connection.

internal import Synchronization

/// One connection to the daemon's socket; never used again.
package struct ConnectionID: Sendable, Hashable {
    private let number: UInt64

    private static let last = Atomic<UInt64>(0)

    /// A new one.
    package init() { number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue }
}
