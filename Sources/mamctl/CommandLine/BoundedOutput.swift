// What a program prints, if that is neither too much nor too late.

internal import Glibc
internal import MAMModel
internal import MAMSystem

final class BoundedOutput {
    private(set) var bytes: [UInt8] = []
    /// The beginning of its standard error.
    private(set) var complaint = ""
    /// Why it was killed; nil if it was not.
    private(set) var limit: Message?

    private let maximumByteCount: Int
    private let deadline: Deadline
    private let longestSilence: Int

    /// `longestSilence`: how many seconds it may say nothing.
    init(atMost maximumByteCount: Int, within deadline: Deadline, longestSilence: Int) {
        (self.maximumByteCount, self.deadline) = (maximumByteCount, deadline)
        self.longestSilence = longestSilence
    }

    /// `input`: its standard input; nil for none.
    func run(
        _ argv: [ByteString], input: Descriptor?, environment: [ByteString]
    ) throws(Errno) -> ProcessEnd {
        let errors = try makeMemoryFile([])
        let (process, output) = try start(argv, input, errors, environment)
        let isRead = Result { () throws(Errno) in try read(output) }
        if limit != nil { kill(process, SIGKILL) }
        let end = try wait(for: process)
        try isRead.get()
        var text = [UInt8](repeating: 0, count: 4096)
        let count = try retrying { pread(errors.raw, &text, text.count, 0) }
        complaint = String(decoding: text[..<count], as: UTF8.self)
        return end
    }

    /// The reader's end; ours of the other is closed with this call.
    private func start(
        _ argv: [ByteString], _ input: Descriptor?, _ errors: Descriptor,
        _ environment: [ByteString]
    ) throws(Errno) -> (pid_t, Descriptor) {
        let (reader, writer) = try makePipe()
        let null = try openFile("/dev/null", O_RDONLY)
        let input = input ?? null
        let files = [
            input.raw: STDIN_FILENO, writer.raw: STDOUT_FILENO, errors.raw: STDERR_FILENO,
        ]
        let process = try withExtendedLifetime((writer, input)) { () throws(Errno) in
            try spawn(argv, files: files, environment: environment, resettingSignals: true)
        }
        return (process, reader)
    }

    private func read(_ output: Descriptor) throws(Errno) {
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while limit == nil {
            var question = pollfd(fd: output.raw, events: Int16(POLLIN), revents: 0)
            let seconds = min(deadline.secondsLeft, longestSilence)
            guard try retrying({ Int(poll(&question, 1, Int32(seconds) * 1000)) }) > 0 else {
                limit =
                    seconds < longestSilence
                    ? "it took too long" : "it has said nothing for \(seconds) s"
                return
            }
            let count = try retrying { Glibc.read(output.raw, &part, part.count) }
            if count == 0 { return }
            bytes += part[..<count]
            if bytes.count > maximumByteCount { limit = "it has said too much" }
        }
    }
}
