// A thread that sleeps until something is due, and may be told that it is due earlier.

internal import CShims
internal import Glibc
package import MAMModel
internal import Synchronization

/// When a thread will wake. Suspended time counts.
package final class Alarm: Sendable {
    private let wakeUp: WakeUpDescriptor
    private let clock = Clock()
    /// In seconds since boot; zero while the thread is awake.
    private let end = Atomic<Int64>(0)

    package init() throws(Errno) { wakeUp = try WakeUpDescriptor() }

    /// Returns when that time has passed, or earlier if it rings.
    package func sleep(atMostSeconds seconds: Int64) {
        let (end, overflow) = clock.now.secondsSinceBoot.addingReportingOverflow(seconds)
        self.end.store(overflow ? .max : end, ordering: .sequentiallyConsistent)
        wakeUp.wait(atMostSeconds: seconds)
        self.end.store(0, ordering: .sequentiallyConsistent)
    }

    package func ring() { wakeUp.signal() }

    /// Wakes the thread only if it would sleep for longer than that. One that is awake may already
    /// have passed by what is now due, so it will look once more.
    package func ring(within seconds: Int64) {
        let end = end.load(ordering: .sequentiallyConsistent)
        if end == 0 || end - clock.now.secondsSinceBoot > seconds { ring() }
    }
}

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
