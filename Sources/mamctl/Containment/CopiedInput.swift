// Standard input for a command that must not have ours.

internal import Glibc
internal import MAMModel
internal import MAMSystem

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
            // The reader sees the end, and whoever writes there that nobody reads.
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
