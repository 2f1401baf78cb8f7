// One lock per key, for keys that come and go.

/// Locks of different keys are independent.
package final class LockTable<Key: Hashable & Sendable>: Sendable {
    private final class Lock: Sendable {
        let guarded = Guarded<Void>(())
    }

    private struct Entry {
        let lock = Lock()
        /// Threads that hold or wait for the lock; the last one removes the entry.
        var users = 0
    }

    private let entries = Guarded<[Key: Entry]>([:])

    package init() {}

    /// Not reentrant for the same key.
    package func withLock<Result, Failure: Error>(
        _ key: Key, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let lock = enter(key)
        defer { leave(key) }
        return try lock.guarded.withLock { _ throws(Failure) in try body() }
    }

    private func enter(_ key: Key) -> Lock {
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
