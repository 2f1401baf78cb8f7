// Wakes a thread that waits in poll(2).

internal import CShims
internal import Glibc
package import MAMModel

/// An eventfd: readable from ``signal()`` until ``clear()``.
package final class WakeUpDescriptor: Sendable {
    package let descriptor: Descriptor

    package init() throws(Errno) {
        descriptor = Descriptor(owning: try retrying { mam_event_descriptor() })
    }

    package func signal() {
        var one: UInt64 = 1
        _ = write(descriptor.raw, &one, MemoryLayout<UInt64>.size)
    }

    /// Returns after a ``signal()``, or when that time, including suspended time, has passed.
    package func wait(atMostSeconds seconds: Int64) {
        mam_wait_readable(descriptor.raw, min(seconds, 86_400))
        clear()
    }

    package func clear() {
        var count: UInt64 = 0
        _ = read(descriptor.raw, &count, MemoryLayout<UInt64>.size)
    }
}
