// A command whose orphans have an ancestor for as long as they live (see CShims, kept_command.c).

internal import CShims
internal import Glibc

/// A keeper that waits to start its command.
package struct KeptCommand: ~Copyable {
    private let connection: Descriptor

    /// Makes the keeper: a child of this process, which must have one thread.
    package init(_ argv: [ByteString]) throws(Errno) {
        var end: Int32 = -1
        _ = try retrying { withPointers(argv) { mam_keeper_fork($0, &end) } }
        connection = Descriptor(owning: end)
    }

    /// Starts the command and waits for its end. Signals that this process gets meanwhile are the
    /// command's.
    package consuming func run() throws(Errno) -> ProcessEnd {
        ProcessEnd(try retrying { mam_keeper_start(connection.raw) })
    }
}

/// Ends this process as another one has ended.
package func end(as other: ProcessEnd) -> Never {
    switch other {
    case .exited(let status): exit(status)
    case .killed(let signal): mam_end_by_signal(signal)
    }
}
