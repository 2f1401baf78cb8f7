// What of a file changes while it is copied.

/// Ranges of plain bytes in order, none of which touches another: never less than what was added, and little more.
///
/// Not the hull of all: a database or a disk image is written at both ends, and would be copied whole again.
package struct ChangedRanges: Sendable, Equatable {
    /// Enough for whoever writes at some places; of more, neighbours become one.
    static let maximumCount = 64

    package private(set) var all: [Range<Int64>] = []

    package init() {}

    package mutating func add(_ new: Range<Int64>) {
        guard !new.isEmpty else { return }
        let first = all.firstIndex { $0.upperBound >= new.lowerBound } ?? all.endIndex
        let end = all[first...].firstIndex { $0.lowerBound > new.upperBound } ?? all.endIndex
        var joined = new
        if first < end {
            let lower = min(all[first].lowerBound, new.lowerBound)
            joined = lower..<max(all[end - 1].upperBound, new.upperBound)
        }
        all.replaceSubrange(first..<end, with: CollectionOfOne(joined))
        if all.count > Self.maximumCount { joinNearest() }
    }

    /// The two between which the least lies.
    private mutating func joinNearest() {
        func gap(after index: Int) -> Int64 { all[index + 1].lowerBound - all[index].upperBound }
        guard let nearest = (0..<all.count - 1).min(by: { gap(after: $0) < gap(after: $1) })
        else { return }
        let joined = all[nearest].lowerBound..<all[nearest + 1].upperBound
        all.replaceSubrange(nearest...nearest + 1, with: CollectionOfOne(joined))
    }
}
