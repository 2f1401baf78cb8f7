// Programs of the administrator's that are run for an answer, or to be told something.

internal import Glibc
package import MAMSystem

/// What came of running one.
package enum CommandResult: Sendable, Equatable {
    /// It ended by itself; what it printed, at most 64 KiB.
    case ended(ProcessEnd, output: [UInt8])
    case timedOut
    case notStarted(Errno)

    /// The first line that a successful one printed.
    package var answer: String? {
        guard case .ended(.exited(0), let output) = self else { return nil }
        let line = output.prefix { $0 != 0x0A }
        let text = String(decoding: line, as: UTF8.self)
        let trimmed = text.drop { $0 == " " || $0 == "\t" }
        let end = trimmed.lastIndex { $0 != " " && $0 != "\t" && $0 != "\r" }
        return end.map { String(trimmed[...$0]) }
    }

    package var description: String {
        switch self {
        case .ended(let end, _): end.description
        case .timedOut: "timed out and was killed"
        case .notStarted(let error): "could not be started: \(error)"
        }
    }
}

/// Runs a program, without a shell and in a session of its own, and waits for its end. It gets
/// `input` on its standard input and a minimal environment. When time is up, it and what it has
/// started are killed. What it has left running when it ends goes on, unheard.
package func runCommand(
    _ argv: [String], input: [UInt8] = [], withErrors: Bool = false, timeoutSeconds: Int
) -> CommandResult {
    do throws(Errno) {
        let deadline = Deadline(seconds: timeoutSeconds)
        let (output, writer) = try makePipe()
        let process = try start(argv, input, writer, withErrors)
        return try read(output, until: deadline, process)
    } catch { return .notStarted(error) }
}

/// The program has its end of the pipe alone when this returns.
private func start(
    _ argv: [String], _ input: [UInt8], _ output: Descriptor, _ withErrors: Bool
) throws(Errno) -> pid_t {
    // No pipe: one that is full would keep us waiting for a program that does not read.
    let file = try makeMemoryFile(input)
    var files = [file.raw: STDIN_FILENO, output.raw: STDOUT_FILENO]
    let errors = withErrors ? try reopen(output.raw, O_WRONLY) : nil
    if let errors { files[errors.raw] = STDERR_FILENO }
    return try withExtendedLifetime((file, errors)) { () throws(Errno) in
        try spawn(
            argv.map { ByteString($0) }, files: files, inNewSession: true,
            environment: [
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "LC_ALL=C.UTF-8",
            ]
            .map { ByteString($0) },
            resettingSignals: true)
    }
}

private func read(
    _ output: Descriptor, until deadline: Deadline, _ process: pid_t
) throws(Errno) -> CommandResult {
    var bytes: [UInt8] = []
    while true {
        // In this order: what it printed before its end is there by then.
        let end = try pollEnd(of: process)
        let isOpen = takeAvailable(output, into: &bytes)
        if let end { return .ended(end, output: bytes) }
        if deadline.hasPassed {
            kill(-process, SIGKILL)
            _ = try wait(for: process)
            return .timedOut
        }
        var waiting = pollfd(fd: output.raw, events: Int16(POLLIN), revents: 0)
        _ = isOpen ? poll(&waiting, 1, 50) : usleep(5000)
    }
}

private let maximumOutput = 65_536

/// Reads without waiting, and not for ever what is printed without a pause; false at the end of the
/// output.
func takeAvailable(_ output: Descriptor, into bytes: inout [UInt8]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<16 {
        var waiting = pollfd(fd: output.raw, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 0) > 0 else { return true }
        let count = Glibc.read(output.raw, &buffer, buffer.count)
        guard count > 0 else { return false }
        // Read to its end all the same, or the program would wait.
        bytes += buffer.prefix(min(count, maximumOutput - bytes.count))
    }
    return true
}
