// How far the clearing of an account's caches is.

/// Of one account, since the daemon's start.
package struct CacheClearing: Sendable {
    private var isRunning = false
    /// A lock came while a thread was clearing: from that time on.
    private var next: Int64?
    /// All that was there at the last lock is gone.
    private var isDone = false

    package var isIdle: Bool { !isRunning }

    package init() {}

    /// At a lock. True if the caller has to start a thread. `time`: nanoseconds since 1970.
    package mutating func begin(at time: Int64) -> Bool {
        isDone = false
        if isRunning { next = time }
        defer { isRunning = true }
        return !isRunning
    }

    /// At an unlock: only what is left over, of a lock or of an earlier daemon.
    package mutating func resume() -> Bool {
        guard !isDone, !isRunning else { return false }
        isRunning = true
        return true
    }

    /// The time of the next pass; nil if the thread ends. `isWhole`: nothing is left.
    package mutating func finish(isWhole: Bool) -> Int64? {
        defer { next = nil }
        if next == nil { (isRunning, isDone) = (false, isWhole) }
        return next
    }
}
