// A value with many concurrent readers.

/// For state that every request reads and that seldom changes. With a `Mutex`, a thread preempted
/// while holding it would make all others queue, with a context switch per hand-over long after.
/// Not copyable: generic code would copy a copyable value for each reader, and all readers would
/// write its reference counts.
// @unchecked: the value is accessed only under the lock.
package final class SharedState<Value: ~Copyable>: @unchecked Sendable {
    private let lock = ReadWriteLock()
    // Not a stored property, whose accesses Swift checks for exclusivity at run time. The lock
    // already excludes overlaps, and traps if a thread locks twice.
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Exclusive access. Do not call this or ``read(_:)`` inside.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.exclusive { () throws(Failure) in try body(&value.pointee) }
    }

    /// Access shared with other readers.
    package func read<Result, Failure: Error>(
        _ body: (borrowing Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.shared { () throws(Failure) in try body(value.pointee) }
    }
}
