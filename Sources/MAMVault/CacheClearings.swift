// How far the clearing of accounts' caches is.

package import MAMModel
internal import Synchronization

/// Of all accounts, since the daemon's start.
package final class CacheClearings: Sendable {
    private let accounts = Mutex<[AccountID: CacheClearing]>([:])

    package init() {}

    /// At a lock. True if the caller has to start a thread. `time`: nanoseconds since 1970.
    package func begin(of account: AccountID, at time: Int64) -> Bool {
        accounts.withLock { $0[account, default: CacheClearing()].begin(at: time) }
    }

    /// At an unlock: only what is left over, of a lock or of an earlier daemon.
    package func resume(of account: AccountID) -> Bool {
        accounts.withLock { $0[account, default: CacheClearing()].resume() }
    }

    /// The time of the next pass; nil if the thread ends. `isWhole`: nothing is left.
    package func finish(of account: AccountID, isWhole: Bool) -> Int64? {
        accounts.withLock { $0[account, default: CacheClearing()].finish(isWhole: isWhole) }
    }

    /// Nil if none was begun.
    package func isIdle(of account: AccountID) -> Bool? {
        accounts.withLock { $0[account].map { !$0.isRunning } }
    }
}

private struct CacheClearing: Sendable {
    var isRunning = false
    /// A lock came while a thread was clearing: from that time on.
    private var next: Int64?
    /// All that was there at the last lock is gone.
    private var isDone = false

    mutating func begin(at time: Int64) -> Bool {
        isDone = false
        if isRunning { next = time }
        defer { isRunning = true }
        return !isRunning
    }

    mutating func resume() -> Bool {
        guard !isDone, !isRunning else { return false }
        isRunning = true
        return true
    }

    mutating func finish(isWhole: Bool) -> Int64? {
        defer { next = nil }
        if next == nil { (isRunning, isDone) = (false, isWhole) }
        return next
    }
}
