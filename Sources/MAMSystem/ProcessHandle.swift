// Refers to one process by descriptor: checking whether it is alive is one call and reads nothing
// in /proc.

internal import CShims
internal import Glibc

/// Refers to one process for good, even if its ID is reused.
package struct ProcessHandle: Sendable {
    private let descriptor: Descriptor

    /// Nil if there is no such process, or `process` is a thread other than the first.
    package init?(of process: Int32) {
        guard process > 0,
            let raw = try? retrying({ () -> Int32 in mam_open_process(process) })
        else { return nil }
        descriptor = Descriptor(owning: raw)
    }

    /// Takes a pidfd from the kernel.
    package init(owning descriptor: Descriptor) { self.descriptor = descriptor }

    /// False once all its threads have ended.
    package var isAlive: Bool {
        var question = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        return withExtendedLifetime(descriptor) { poll(&question, 1, 0) } == 0
    }
}
