// A mutex for short critical sections that many threads enter.

public import Glibc
public import Synchronization

// Public, unlike the rest of the package: `package` code is not inlined into other modules, and
// calling a lock through an unspecialised closure takes ten times as many instructions.
/// A value behind a mutex, like `Mutex` of the Synchronization module, except that the first thread
/// to ask after a release gets it.
///
/// `Mutex` hands the lock to the longest waiter, which may sleep: until it is awake nobody holds
/// the lock, and every thread that arrives meanwhile has to wait too. Once several threads wait,
/// each hand-over is a context switch for as long as they keep coming (a lock convoy;
/// docs/adr/0029-locks-without-convoys.md). For values with little contention use `Mutex`, which is
/// smaller.
public struct Guarded<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Like those of a `Mutex`, they do not move in memory.
    @usableFromInline let lock: _Cell<pthread_mutex_t>
    @usableFromInline let value: _Cell<Value>

    /// The lock starts unlocked.
    public init(_ value: consuming sending Value) {
        lock = _Cell(openLock())
        self.value = _Cell(value)
    }

    deinit { pthread_mutex_destroy(lock._address) }

    /// Not reentrant.
    @inlinable
    public borrowing func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(lock._address)
        defer { pthread_mutex_unlock(lock._address) }
        return try body(&value._address.pointee)
    }
}

/// A thread that finds the lock taken spins briefly before it sleeps. So far it is nobody's, and
/// may be moved to its place.
private func openLock() -> pthread_mutex_t {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ADAPTIVE_NP))
    var lock = pthread_mutex_t()
    let status = pthread_mutex_init(&lock, &attributes)
    precondition(status == 0)
    pthread_mutexattr_destroy(&attributes)
    return lock
}
