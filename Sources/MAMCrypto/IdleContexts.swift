// Contexts between two requests.

internal import Synchronization

/// Up to two contexts with a file's key in them, of about 1 kB each, for reuse.
/// More threads than that make their own. Without a lock: threads that queue up for a moment's work
/// would go on queueing (docs/adr/0029-locks-without-convoys.md).
///
/// A place holds a context, as a word, and who exchanges that for another word has it alone.
struct IdleContexts: ~Copyable {
    private let first = Atomic(Self.none)
    private let second = Atomic(Self.none)

    private static var none: UInt { 0 }
    /// Nothing is kept here any more.
    private static var closed: UInt { .max }

    func take() -> GCMContext? { Self.take(from: first) ?? Self.take(from: second) }

    /// False if there is no room, or no longer.
    func keep(_ context: GCMContext) -> Bool {
        Self.put(context.word, in: first) || Self.put(context.word, in: second)
    }

    /// Those that are here; from now on nothing is kept.
    func close() -> (GCMContext?, GCMContext?) {
        (
            Self.context(first.exchange(Self.closed, ordering: .acquiringAndReleasing)),
            Self.context(second.exchange(Self.closed, ordering: .acquiringAndReleasing))
        )
    }

    private static func take(from place: borrowing Atomic<UInt>) -> GCMContext? {
        let found = place.load(ordering: .relaxed)
        guard found != none, found != closed else { return nil }
        // Another may have taken it, used it and brought it back meanwhile; it is as good as
        // before.
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
