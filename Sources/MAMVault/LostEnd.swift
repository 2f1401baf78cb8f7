// The end of a file, of which data from the kernel's cache was lost.

internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import Synchronization

/// While the kernel has a larger size than the file, what lies behind its data is not stored
/// either: what was lost would be zeros in between, and a program that continues at the end would
/// not notice.
struct LostEnd: ~Copyable {
    private let offset = Atomic<Int64>(.max)
    private let cause = Atomic<Int32>(0)

    var start: Int64? {
        let start = offset.load(ordering: .relaxed)
        return start == .max ? nil : start
    }

    /// Why data beyond the end was lost.
    var error: Errno? {
        offset.load(ordering: .acquiring) == .max
            ? nil : Errno(rawValue: cause.load(ordering: .relaxed))
    }

    func check(_ count: Int, at start: Int64) throws(StoreError) {
        let lost = offset.load(ordering: .acquiring)
        guard lost != .max, start > lost - Int64(count) else { return }
        throw .system(Errno(rawValue: cause.load(ordering: .relaxed)))
    }

    func note(from start: Int64, for error: Errno) {
        cause.store(error.rawValue, ordering: .relaxed)
        offset.min(start, ordering: .acquiringAndReleasing)
    }

    func forget() { offset.store(.max, ordering: .releasing) }
}
