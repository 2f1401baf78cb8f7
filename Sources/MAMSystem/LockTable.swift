// A lock for each of many things that come and go.

/// Who holds one thing's lock keeps nobody from another's.
package final class LockTable<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        let lock = Guarded<Void>(())
        /// Those that hold it or wait for it: the last one takes it away.
        var users = 0
    }

    private let entries = Guarded<[Key: Entry]>([:])

    package init() {}

    /// Not to be asked for inside, for the same key.
    package func withLock<Result, Failure: Error>(
        _ key: Key, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let lock = enter(key)
        defer { leave(key) }
        return try lock.withLock { _ throws(Failure) in try body() }
    }

    private func enter(_ key: Key) -> Guarded<Void> {
        entries.withLock { entries in
            entries[key, default: Entry()].users += 1
            return entries[key, default: Entry()].lock
        }
    }

    private func leave(_ key: Key) {
        entries.withLock { entries in
            entries[key]?.users -= 1
            if entries[key]?.users == 0 { entries[key] = nil }
        }
    }
}
