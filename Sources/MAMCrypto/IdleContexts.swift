// A cache of contexts between requests.

internal import Synchronization

/// Up to two contexts with a file's key, about 1 kB each, for reuse; further threads create their
/// own. Lock-free, because threads that contend for so short a section form a convoy
/// (docs/adr/0029-locks-without-convoys.md).
///
/// Each slot holds a context packed into a word; the thread that swaps it out owns it.
struct IdleContexts: ~Copyable {
    private let first = Atomic(Self.none)
    private let second = Atomic(Self.none)

    private static var none: UInt { 0 }
    /// Marks a slot that keeps nothing any more.
    private static var closed: UInt { .max }

    func take() -> GCMContext? { Self.take(from: first) ?? Self.take(from: second) }

    /// False if the slots are full or closed.
    func keep(_ context: GCMContext) -> Bool {
        Self.put(context.word, in: first) || Self.put(context.word, in: second)
    }

    /// Removes the cached contexts and refuses further ones.
    func close() -> (GCMContext?, GCMContext?) {
        (
            Self.context(first.exchange(Self.closed, ordering: .acquiringAndReleasing)),
            Self.context(second.exchange(Self.closed, ordering: .acquiringAndReleasing))
        )
    }

    private static func take(from place: borrowing Atomic<UInt>) -> GCMContext? {
        let found = place.load(ordering: .relaxed)
        guard found != none, found != closed else { return nil }
        // Another thread may have taken and returned it meanwhile (ABA); that does no harm.
        let (isTaken, _) = place.compareExchange(
            expected: found, desired: none, ordering: .acquiringAndReleasing)
        return isTaken ? context(found) : nil
    }

    private static func put(_ word: UInt, in place: borrowing Atomic<UInt>) -> Bool {
        place.compareExchange(expected: none, desired: word, ordering: .acquiringAndReleasing)
            .exchanged
    }

    private static func context(_ word: UInt) -> GCMContext? {
        word == none || word == closed ? nil : GCMContext(word: word)
    }
}
