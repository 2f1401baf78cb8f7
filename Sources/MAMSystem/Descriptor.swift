// Owns one file descriptor.

internal import Glibc

/// An open file descriptor, closed when the last reference goes.
///
/// A class, because inodes, handles and requests share one; `close(2)`'s error is of no use here: what
/// must be durable was synced before.
package final class Descriptor: Sendable {
    /// Open only as long as a reference is held: give the descriptor a name before lending this. Of a temporary
    /// one (`open(…).raw`) it is closed before the call that it was lent to.
    package let raw: Int32

    package init(owning raw: Int32) {
        precondition(raw >= 0)
        self.raw = raw
    }

    deinit { Glibc.close(raw) }
}
