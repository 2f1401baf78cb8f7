// How the kernel's requests reach the mount.

/// What the socket and the log tell of it.
package struct Transport: Sendable, Equatable {
    package enum Way: String, Sendable {
        /// Read from /dev/fuse.
        case device
        /// Through io_uring, a queue for each processor.
        case ring = "io_uring"
    }

    package let way: Way
    /// How, or why the other way was asked for in vain; nil for what needs no word.
    package let note: String?

    /// In one line; nil for what needs no word.
    package var description: String? {
        way == .device ? note : "by \(way.rawValue)\(note.map { ": \($0)" } ?? "")"
    }

    package init(_ way: Way, note: String? = nil) {
        self.way = way
        self.note = note
    }
}
