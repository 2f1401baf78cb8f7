// Many readers or one writer. Synchronization's Mutex has no shared mode.

internal import CShims
internal import Glibc
internal import Synchronization

/// A POSIX read-write lock that prefers writers, so that readers cannot starve them.
///
/// Not recursive: a reader that locks again while a writer waits deadlocks.
// @unchecked: the pthread functions synchronise. A `_Cell`, like that of a `Mutex`, does not move.
package struct ReadWriteLock: ~Copyable, @unchecked Sendable {
    private let lock = _Cell(openLock())

    package init() {}

    deinit { pthread_rwlock_destroy(lock._address) }

    @inline(__always)
    package borrowing func shared<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let status = pthread_rwlock_rdlock(lock._address)
        precondition(status == 0)
        defer { pthread_rwlock_unlock(lock._address) }
        return try body()
    }

    /// Like ``exclusive(_:)``, but returns nil if the deadline passes first.
    package borrowing func exclusive<Result>(
        until deadline: Deadline, _ body: () -> Result
    ) -> Result? {
        guard mam_lock_until(lock._address, deadline.nanoseconds) == 0 else { return nil }
        defer { pthread_rwlock_unlock(lock._address) }
        return body()
    }

    @inline(__always)
    package borrowing func exclusive<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let status = pthread_rwlock_wrlock(lock._address)
        precondition(status == 0)
        defer { pthread_rwlock_unlock(lock._address) }
        return try body()
    }
}

/// Free, and so far nobody's: it may still be moved to its place.
private func openLock() -> pthread_rwlock_t {
    var attributes = pthread_rwlockattr_t()
    pthread_rwlockattr_init(&attributes)
    pthread_rwlockattr_setkind_np(
        &attributes, Int32(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
    var lock = pthread_rwlock_t()
    let status = pthread_rwlock_init(&lock, &attributes)
    precondition(status == 0)
    pthread_rwlockattr_destroy(&attributes)
    return lock
}
