// A command under a supervisor process (see CSupervisor).

internal import CSupervisor
internal import Glibc
internal import MAMSystem

/// A forked supervisor that has not started its command yet.
struct SupervisedCommand: ~Copyable {
    private let connection: Descriptor

    /// Forks the supervisor. The calling process must have one thread.
    init(_ argv: [ByteString]) throws(Errno) {
        var end: Int32 = -1
        _ = try retrying { withPointers(argv) { mam_supervisor_fork($0, &end) } }
        connection = Descriptor(owning: end)
    }

    /// Starts the command and waits for its end. Signals sent to this process meanwhile are relayed
    /// to the command.
    consuming func run() throws(Errno) -> ProcessEnd {
        ProcessEnd(try retrying { mam_supervisor_start(connection.raw) })
    }
}

/// Ends this process as another one has ended.
func end(as other: ProcessEnd) -> Never {
    switch other {
    case .exited(let status): exit(status)
    case .killed(let signal): mam_end_by_signal(signal)
    }
}
