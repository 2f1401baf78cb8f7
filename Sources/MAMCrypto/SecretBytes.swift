// Secrets in memory: keys and passphrases.

internal import CSodium
internal import Synchronization

/// Bytes in locked memory, zeroed with the last reference. Never printed, encoded or copied.
///
/// Any thread may call ``erase()`` at any time, so readers are counted: those inside finish, and
/// the last one zeroes the bytes. An erased secret reads as **empty**, not as zeros, so that
/// nothing is ever sealed under a key of zeros; every operation of this module rejects an empty
/// key.
package final class SecretBytes: Sendable {
    /// The number of bytes, unchanged by ``erase()``.
    package let count: Int

    // nonisolated(unsafe): written only with `writing` set, which excludes readers, or by the one
    // thread that makes the transition to `cleaned`, when no reader is inside and none can enter.
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

    /// Copies the bytes; the caller zeroes the original.
    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count)
        UnsafeMutableRawBufferPointer(start: start, count: count).copyMemory(from: bytes)
    }

    /// The concatenation; empty if either was erased, which its reader rejects.
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

    /// Lets `fill` write the bytes before the secret is shared.
    package convenience init<Failure: Error>(
        count: Int, filling: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        self.init(count: count)
        try filling(UnsafeMutableRawBufferPointer(start: start, count: count))
    }

    /// A new random key.
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

    /// Lends the bytes for writing, during set-up only. Traps if there is another reader or writer,
    /// or the secret is erased.
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

    /// Zeroes the bytes now, or when the last reader leaves. The secret stays empty.
    package func erase() {
        state.bitwiseOr(Self.erased, ordering: .acquiringAndReleasing)
        cleanIfLast()
    }

    /// True after ``erase()``.
    package var isErased: Bool { state.load(ordering: .acquiring) & Self.erased != 0 }

    /// Compares in time that depends only on the length. False if either is erased.
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
        // Proceeds only from "erased, no readers, not yet zeroed", and only on one thread.
        let isMine = state.compareExchange(
            expected: Self.erased, desired: Self.erased | Self.cleaned,
            ordering: .acquiringAndReleasing
        ).exchanged
        if isMine { sodium_memzero(start, count) }
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    /// Only the length.
    package var description: String { "SecretBytes(\(count))" }

    /// Empty, so that `dump` and string interpolation of an owner show no address.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
