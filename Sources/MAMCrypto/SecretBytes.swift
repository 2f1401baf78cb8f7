// A secret in memory: a key, a passphrase.

internal import CSodium
internal import Synchronization

/// Bytes in locked memory that are zeroed when the last reference goes. Never printed, coded or
/// copied.
///
/// ``erase()`` may come from another thread at any time, so readers are counted: those inside
/// finish, and the last one out zeroes. An erased secret reads as **empty**, not as zeros, so that
/// nothing is ever sealed under a key of zeros; every operation of this module refuses an empty
/// key.
package final class SecretBytes: Sendable {
    /// The number of bytes, also after ``erase()``.
    package let count: Int

    // nonisolated(unsafe): the bytes are written with `writing` set, which excludes readers, or by
    // the one thread that wins the step to `cleaned`, after the last reader left and none can
    // enter.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    private let state = Atomic<Int>(0)

    private static let erased = 1
    private static let cleaned = 2
    private static let writing = 4
    private static let oneReader = 8

    /// `count` zeros, to be filled with ``withMutableBytes(_:)``.
    package init(count: Int) {
        self.count = count
        start = SecretSlots.allocate(count)
    }

    /// Copies; the caller zeroes its own.
    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count)
        UnsafeMutableRawBufferPointer(start: start, count: count).copyMemory(from: bytes)
    }

    /// One after the other. Empty parts if one was erased: its reader refuses the wrong length.
    package static func joining(_ first: SecretBytes, _ second: SecretBytes) -> SecretBytes {
        first.withBytes { one in
            second.withBytes { two in
                guard one.count == first.count, two.count == second.count else {
                    return SecretBytes(count: 0)
                }
                return SecretBytes(count: one.count + two.count) { joined in
                    joined.copyMemory(from: one)
                    UnsafeMutableRawBufferPointer(rebasing: joined[one.count...])
                        .copyMemory(from: two)
                }
            }
        }
    }

    /// Fills the bytes before anyone else sees them.
    package convenience init<Failure: Error>(
        count: Int, filling: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        self.init(count: count)
        try filling(UnsafeMutableRawBufferPointer(start: start, count: count))
    }

    /// A new key.
    package static func random(count: Int) -> SecretBytes {
        SecretBytes(count: count) { SecureRandom.fill($0) }
    }

    deinit { SecretSlots.release(start, count) }

    /// Lends the bytes; an empty buffer once the secret is erased.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = state.add(Self.oneReader, ordering: .acquiring).oldValue
        precondition(before & Self.writing == 0, "a shared secret is immutable")
        defer {
            state.subtract(Self.oneReader, ordering: .acquiringAndReleasing)
            cleanIfLast()
        }
        let isErased = before & Self.erased != 0
        return try body(UnsafeRawBufferPointer(start: start, count: isErased ? 0 : count))
    }

    /// Lends the bytes for writing, during set-up only: it is a fault to have another reader or
    /// writer, or to write into an erased secret.
    package func withMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let isAlone = state.compareExchange(
            expected: 0, desired: Self.writing, ordering: .acquiring
        ).exchanged
        precondition(isAlone, "a shared secret is immutable")
        // Subtracts, because erase() may have set its bit meanwhile.
        defer {
            state.subtract(Self.writing, ordering: .acquiringAndReleasing)
            cleanIfLast()
        }
        return try body(UnsafeMutableRawBufferPointer(start: start, count: count))
    }

    /// Zeroes now, or as soon as the readers that are inside have left. For good: the secret is
    /// empty.
    package func erase() {
        state.bitwiseOr(Self.erased, ordering: .acquiringAndReleasing)
        cleanIfLast()
    }

    /// True after ``erase()``.
    package var isErased: Bool { state.load(ordering: .acquiring) & Self.erased != 0 }

    /// True when both have the same bytes, in time that depends on their length only. False if one
    /// is erased.
    package func equals(_ other: SecretBytes) -> Bool {
        withBytes { mine in
            other.withBytes { theirs in
                guard mine.count == count, theirs.count == count, let one = mine.baseAddress,
                    let two = theirs.baseAddress
                else { return false }
                return sodium_memcmp(one, two, count) == 0
            }
        }
    }

    private func cleanIfLast() {
        // Only "erased, nobody inside, not yet zeroed" leads on, and only for one thread.
        let isMine = state.compareExchange(
            expected: Self.erased, desired: Self.erased | Self.cleaned,
            ordering: .acquiringAndReleasing
        ).exchanged
        if isMine { sodium_memzero(start, count) }
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    /// The length and nothing else.
    package var description: String { "SecretBytes(\(count))" }

    /// Nothing, so that `dump` and string interpolation of an owner show no address.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
