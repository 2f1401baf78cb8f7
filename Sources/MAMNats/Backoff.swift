// When to try again.

/// Waits between attempts that fail: growing, without end, and each client's different, so that ten
/// thousand of them do not come back at the same moment.
package struct Backoff: Sendable {
    private let first: Int
    private let last: Int
    private var window: Int

    package init(firstMilliseconds first: Int, lastMilliseconds last: Int) {
        (self.first, self.last, window) = (first, last, first)
    }

    package mutating func reset() { window = first }

    /// Milliseconds: the first wait anywhere in the window, later ones in its second half.
    package mutating func next() -> Int {
        let lowest = window == first ? 0 : window / 2
        defer { window = min(last, window * 2) }
        return Int.random(in: lowest...window)
    }
}
