// A command under a supervisor process (see CSupervisor), and the copy of our standard input that
// it may have.

internal import CShims
internal import CSupervisor
internal import Glibc
internal import MAMModel
internal import MAMSystem

/// A forked supervisor that has not started its command yet.
struct SupervisedCommand: ~Copyable {
    private let connection: Descriptor
    private let supervisor: Int32
    private let input: CopiedInput?
    private let rules: ContainmentRules?

    /// Forks the supervisor, which contains itself if there are rules. The calling process must
    /// have one thread. `input`: what this process copies while the command runs.
    init(
        _ argv: [ByteString], in rules: ContainmentRules? = nil, reading input: CopiedInput? = nil
    ) throws(Errno) {
        self.input = input
        self.rules = rules
        var end: Int32 = -1
        supervisor = try retrying {
            withPointers(argv) { argv in
                guard let rules else { return mam_supervisor_fork(argv, nil, &end) }
                return rules.withRules { mam_supervisor_fork(argv, $0, &end) }
            }
        }
        connection = Descriptor(owning: end)
    }

    /// The supervisor's pidfd.
    func descriptor() throws(Errno) -> Descriptor {
        Descriptor(owning: try retrying { mam_open_process(supervisor) })
    }

    /// Starts the command and waits for its end. Signals sent to this process meanwhile are relayed
    /// to the command.
    consuming func run() throws(Errno) -> ProcessEnd {
        try input?.start()
        let end = ProcessEnd(try retrying { mam_supervisor_start(connection.raw) })
        if case .killed(SIGKILL) = end { rules?.tellOfCover() }
        return end
    }

    /// Starts the command, which outlives this process, and does not wait for its end.
    consuming func leave() throws(Errno) {
        _ = try retrying { mam_supervisor_leave(connection.raw) }
    }
}

/// Ends this process as another one has ended.
func end(as other: ProcessEnd) -> Never {
    switch other {
    case .exited(let status): exit(status)
    case .killed(let signal): mam_end_by_signal(signal)
    }
}

/// Copies standard input into a pipe until either ends, on a thread of its own.
struct CopiedInput {
    private let writer: Descriptor

    /// `writer`: the end of the pipe that nobody else has.
    init(into writer: Descriptor) { self.writer = writer }

    /// Signals go to the other threads; that the reader has gone is an error here.
    func start() throws(Errno) {
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let null = try openFile("/dev/null", O_RDWR)
        try startThread(named: "input") { [writer] in
            Self.copy(to: writer)
            // A reader sees the end now, and a writer learns that nobody reads.
            try? redirect(writer, to: null)
            dup2(null.raw, STDIN_FILENO)
        }
    }

    private static func copy(to writer: Descriptor) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while true {
            // It may be one that does not block.
            guard poll(&waiting, 1, -1) >= 0 else { continue }
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, [EAGAIN, EINTR].contains(errno) { continue }
            guard count > 0 else { return }
            do throws(Errno) {
                try writeAll(Array(buffer[..<count]), to: writer.raw)
            } catch { return }
        }
    }
}
