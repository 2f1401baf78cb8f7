// Owns one file descriptor.

internal import Glibc

/// An open file descriptor, closed when the last reference goes.
///
/// A class, because inodes, handles and requests share one; `close(2)`'s error is of no use here: what
/// must be durable was synced before.
package final class Descriptor: Sendable {
    package let raw: Int32

    package init(owning raw: Int32) {
        precondition(raw >= 0)
        self.raw = raw
    }

    deinit { Glibc.close(raw) }
}
