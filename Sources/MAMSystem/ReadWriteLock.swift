// Many readers or one writer. Synchronization's Mutex has no shared mode.

internal import CShims
internal import Glibc

/// A POSIX read-write lock that prefers writers, so that readers cannot starve them.
///
/// Not recursive: a reader that locks again while a writer waits deadlocks.
package final class ReadWriteLock: @unchecked Sendable {
    // The lock must not move in memory; the pthread functions synchronise.
    private let lock: UnsafeMutablePointer<pthread_rwlock_t>

    package init() {
        lock = .allocate(capacity: 1)
        var attributes = pthread_rwlockattr_t()
        pthread_rwlockattr_init(&attributes)
        pthread_rwlockattr_setkind_np(
            &attributes, Int32(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
        let status = pthread_rwlock_init(lock, &attributes)
        precondition(status == 0)
        pthread_rwlockattr_destroy(&attributes)
    }

    deinit {
        pthread_rwlock_destroy(lock)
        lock.deallocate()
    }

    @inline(__always)
    package func shared<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let status = pthread_rwlock_rdlock(lock)
        precondition(status == 0)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }

    /// Like ``exclusive(_:)``, but returns nil if the deadline passes first.
    package func exclusive<Result>(until deadline: Deadline, _ body: () -> Result) -> Result? {
        guard mam_lock_until(lock, deadline.nanoseconds) == 0 else { return nil }
        defer { pthread_rwlock_unlock(lock) }
        return body()
    }

    @inline(__always)
    package func exclusive<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let status = pthread_rwlock_wrlock(lock)
        precondition(status == 0)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }
}
