// Turns the C library's errno into a Swift error, and retries EINTR; nothing else does.

internal import Glibc
package import MAMModel

extension Errno {
    /// This thread's last error.
    package static var current: Errno { Errno(rawValue: errno) }
}

/// Runs a call that returns -1 on failure, and retries it when a signal interrupts it.
@inline(__always)
package func retrying<Value: BinaryInteger>(_ call: () -> Value) throws(Errno) -> Value {
    while true {
        let value = call()
        if value != -1 { return value }
        let error = Errno.current
        if error.rawValue != EINTR { throw error }
    }
}
