// How the kernel's requests reach the mount.

/// Shown on the socket and in the log.
package struct Transport: Sendable, Equatable {
    package enum Way: String, Sendable {
        /// Reads from /dev/fuse.
        case device
        /// io_uring, with a queue per processor.
        case ring = "io_uring"
    }

    package let way: Way
    /// How it is configured, or why io_uring is not in use; nil if there is nothing to say.
    package let note: String?

    /// In one line; nil if there is nothing to say.
    package var description: String? {
        way == .device ? note : "by \(way.rawValue)\(note.map { ": \($0)" } ?? "")"
    }

    package init(_ way: Way, note: String? = nil) {
        self.way = way
        self.note = note
    }
}
