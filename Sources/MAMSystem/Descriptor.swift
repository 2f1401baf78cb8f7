// Owns one file descriptor.

internal import CShims
internal import Glibc
package import MAMModel

/// An open file descriptor, closed with its last reference.
///
/// A class, because inodes, handles and requests share one. `close(2)` errors are ignored: whatever
/// must be durable was synced before.
package final class Descriptor: Sendable {
    /// Valid only while a reference is held: store the `Descriptor` in a variable before you pass
    /// this on. In `open(…).raw` the temporary closes before the call that receives the number.
    package let raw: Int32

    package init(owning raw: Int32) {
        precondition(raw >= 0)
        self.raw = raw
    }

    deinit { Glibc.close(raw) }
}

/// dup(2), close-on-exec.
package func duplicate(_ descriptor: Int32) throws(Errno) -> Descriptor {
    Descriptor(owning: try retrying { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) })
}

/// dup3(2): makes `descriptor` refer to the file of `other`; it keeps its number.
package func redirect(_ descriptor: Descriptor, to other: Descriptor) throws(Errno) {
    try withExtendedLifetime((descriptor, other)) { () throws(Errno) in
        _ = try retrying { mam_redirect(other.raw, descriptor.raw) }
    }
}
