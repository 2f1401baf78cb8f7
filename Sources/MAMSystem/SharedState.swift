// A value that many threads read at once.

/// For what each request asks for and little changes. With a `Mutex` there a thread that loses the processor while it has it makes
/// all others queue up for it, one switch of threads for each turn, long after.
// @unchecked: the value is touched under the lock alone.
package final class SharedState<Value>: @unchecked Sendable {
    private let lock = ReadWriteLock()
    private var value: Value

    package init(_ value: sending Value) { self.value = value }

    /// Alone. Neither this nor ``read(_:)`` may be asked for inside.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.exclusive { () throws(Failure) in try body(&value) }
    }

    /// Beside other readers.
    package func read<Result, Failure: Error>(
        _ body: (Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.shared { () throws(Failure) in try body(value) }
    }
}
