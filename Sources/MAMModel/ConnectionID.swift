// Identifies state that lasts as long as a connection.

internal import Synchronization

/// One connection to the daemon's socket. IDs are never reused.
package struct ConnectionID: Sendable, Hashable {
    private let number: UInt64

    private static let last = Atomic<UInt64>(0)

    /// A new ID.
    package init() { number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue }
}
