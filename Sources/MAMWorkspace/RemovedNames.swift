// Names that the daemon removed, for the kernel's name cache.

internal import MAMModel
internal import MAMSystem
internal import MAMTree

/// Tells the kernel in batches: an account may have millions of names.
struct RemovedNames {
    private struct Removed {
        let parent: UInt64
        let name: ByteString
    }

    private let cache: any KernelCache
    private var names: [Removed] = []
    /// After one timeout no further batch is tried: a program that reads a directory may take
    /// arbitrarily long.
    private var isHeard = true

    private static let batchCount = 1000

    init(_ cache: any KernelCache) { self.cache = cache }

    mutating func add(_ name: ByteString, in parent: UInt64) {
        names.append(Removed(parent: parent, name: name))
        if names.count == Self.batchCount { flush() }
    }

    /// This may wait for a program that reads the directory, and misses a name whose look-up is
    /// still under way; the kernel forgets the names by itself after a minute.
    mutating func flush() {
        defer { names = [] }
        guard isHeard, !names.isEmpty else { return }
        isHeard = finishes(by: Deadline(seconds: 5), named: "removed-names") {
            [cache, names] in
            for removed in names { cache.invalidate(removed.name.cString, in: removed.parent) }
        }
    }
}
