// A value that many threads read at once.

/// For what each request asks for and little changes. With a `Mutex` there a thread that loses the
/// processor while it has it makes all others queue up for it, one switch of threads for each turn,
/// long after. Not copyable: of a copyable value generic code would make a copy for each reader,
/// whose reference counts all readers write.
// @unchecked: the value is touched under the lock alone.
package final class SharedState<Value: ~Copyable>: @unchecked Sendable {
    private let lock = ReadWriteLock()
    // Not a property of its own: each access to one of those is checked for overlaps. The lock
    // rules them out, and traps where one thread asks for it twice.
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Alone. Neither this nor ``read(_:)`` may be asked for inside.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.exclusive { () throws(Failure) in try body(&value.pointee) }
    }

    /// Beside other readers.
    package func read<Result, Failure: Error>(
        _ body: (borrowing Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.shared { () throws(Failure) in try body(value.pointee) }
    }
}
