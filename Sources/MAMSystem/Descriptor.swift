// Owns one file descriptor.

internal import CShims
internal import Glibc

/// An open file descriptor, closed when the last reference goes.
///
/// A class, because inodes, handles and requests share one; `close(2)`'s error is of no use here:
/// what must be durable was synced before.
package final class Descriptor: Sendable {
    /// Open only as long as a reference is held: give the descriptor a name before lending this. Of
    /// a temporary one (`open(…).raw`) it is closed before the call that it was lent to.
    package let raw: Int32

    package init(owning raw: Int32) {
        precondition(raw >= 0)
        self.raw = raw
    }

    deinit { Glibc.close(raw) }
}

/// The same open file under a number of its own, close-on-exec.
package func duplicate(_ descriptor: Int32) throws(Errno) -> Descriptor {
    Descriptor(owning: try retrying { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) })
}

/// dup3(2): from now on the one refers to what the other does, under its own number.
package func redirect(_ descriptor: Descriptor, to other: Descriptor) throws(Errno) {
    try withExtendedLifetime((descriptor, other)) { () throws(Errno) in
        _ = try retrying { mam_redirect(other.raw, descriptor.raw) }
    }
}
