// Runs the administrator's programs, for an answer or as a notification.

internal import Glibc
package import MAMModel
package import MAMSystem

/// The result of running one.
package enum CommandResult: Sendable, Equatable {
    /// It ended by itself; its output, at most 64 KiB.
    case ended(ProcessEnd, output: [UInt8])
    case timedOut
    case notStarted(Errno)

    /// The first line of a successful program's output.
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

/// Runs a program without a shell, in its own session, and waits for its end. It gets `input` as
/// standard input and a minimal environment. At the timeout, it and its children are killed.
/// Children that outlive it keep running, their output ignored.
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

/// On return only the program holds the write end of the pipe.
private func start(
    _ argv: [String], _ input: [UInt8], _ output: Descriptor, _ withErrors: Bool
) throws(Errno) -> pid_t {
    // Not a pipe: a full one would block us if the program does not read.
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
        // In this order, so that all output from before its end is read.
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

/// Reads available output without waiting, but not endlessly; false at the end of the output.
func takeAvailable(_ output: Descriptor, into bytes: inout [UInt8]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<16 {
        var waiting = pollfd(fd: output.raw, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 0) > 0 else { return true }
        let count = Glibc.read(output.raw, &buffer, buffer.count)
        guard count > 0 else { return false }
        // Keeps reading past the limit, so that the program does not block.
        bytes += buffer.prefix(min(count, maximumOutput - bytes.count))
    }
    return true
}
