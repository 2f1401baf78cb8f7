// A lock for what many threads want, each for a moment.

public import Glibc

// Public, as the rest of the package is not: what is no more than `package` is not inlined in other
// modules, and a lock that is called through a closure, with types found at run time, costs ten
// times as many instructions.
/// A value that one thread has at a time, like `Mutex` of the Synchronization module, but whoever
/// comes first after it was given back has it next.
///
/// `Mutex` hands itself to the one that has waited longest, which may sleep: while that one is
/// woken nobody has the value, and all who come meanwhile have to wait too. Once several wait, each
/// turn is a switch of threads, and it stays so as long as they keep coming (a lock convoy;
/// docs/adr/0029-locks-without-convoys.md). For what few threads want at once `Mutex` does, and is
/// smaller.
public struct Guarded<Value: ~Copyable>: @unchecked Sendable {
    /// The lock and the value, at one address for their whole life.
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

    /// The lock is free.
    public init(_ value: consuming sending Value) {
        storage = Storage.create(minimumCapacity: 1) { _ in pthread_mutex_t() }
        storage.withUnsafeMutablePointerToHeader(initializeLock)
        let place = storage.withUnsafeMutablePointerToElements { $0 }
        place.initialize(to: value)
    }

    /// Not to be asked for inside.
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

/// Who finds it taken asks again for a moment before it sleeps.
private func initializeLock(_ lock: UnsafeMutablePointer<pthread_mutex_t>) {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ADAPTIVE_NP))
    let status = pthread_mutex_init(lock, &attributes)
    precondition(status == 0)
    pthread_mutexattr_destroy(&attributes)
}
