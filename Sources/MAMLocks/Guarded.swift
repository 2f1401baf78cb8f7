// A mutex for short critical sections that many threads enter.

public import Glibc

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
public struct Guarded<Value: ~Copyable>: @unchecked Sendable {
    /// The lock and the value must not move in memory.
    @usableFromInline
    final class Storage: ManagedBuffer<pthread_mutex_t, Value> {
        deinit {
            _ = withUnsafeMutablePointers { lock, value in
                value.deinitialize(count: 1)
                return pthread_mutex_destroy(lock)
            }
        }
    }

    @usableFromInline let storage: ManagedBuffer<pthread_mutex_t, Value>

    /// The lock starts unlocked.
    public init(_ value: consuming sending Value) {
        storage = Storage.create(minimumCapacity: 1) { _ in pthread_mutex_t() }
        storage.withUnsafeMutablePointerToHeader(initializeLock)
        let place = storage.withUnsafeMutablePointerToElements { $0 }
        place.initialize(to: value)
    }

    /// Not reentrant.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (lock, value) = storage.withUnsafeMutablePointers { ($0, $1) }
        pthread_mutex_lock(lock)
        defer {
            pthread_mutex_unlock(lock)
            extendLifetime(storage)
        }
        return try body(&value.pointee)
    }
}

/// A thread that finds the lock taken spins briefly before it sleeps.
private func initializeLock(_ lock: UnsafeMutablePointer<pthread_mutex_t>) {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ADAPTIVE_NP))
    let status = pthread_mutex_init(lock, &attributes)
    precondition(status == 0)
    pthread_mutexattr_destroy(&attributes)
}
