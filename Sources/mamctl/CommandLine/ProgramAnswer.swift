// What a program of ours answers with `--json`: another verb of this one, or mamfleet.

internal import Glibc
internal import MAMCommandLine
internal import MAMCrypto
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Runs a verb of this program. It asks for passphrases on the terminal; `passphrase`: is the line
/// that it reads from standard input instead.
@discardableResult
func runVerb(_ words: [ByteString], passphrase: SecretBuffer? = nil) throws -> JSONValue {
    let program = ByteString("/proc/self/exe").resolved ?? companion("mamctl")
    return try answer(of: [program] + words, reading: try passphrase.map(pipe(holding:)))
}

/// Fails with the program's own error. `input`: nil for what this program has.
func answer(of argv: [ByteString], reading input: Descriptor?) throws -> JSONValue {
    // The error is in the answer too, and told once.
    let null = try openFile("/dev/null", O_RDWR)
    let (answer, end) = try withExtendedLifetime((input, null)) { () throws(Errno) in
        var files = [null.raw: STDERR_FILENO]
        if let input { files[input.raw] = STDIN_FILENO }
        return try jsonOutput(of: argv + [ByteString("--json")], files: files)
    }
    guard end == .exited(0), let answer else {
        throw Failure(of: argv[0].lastComponent, answer?.object?["error"]?.object, end)
    }
    return answer
}

/// The line fits into the pipe.
private func pipe(holding passphrase: SecretBuffer) throws(Errno) -> Descriptor {
    let (reader, writer) = try makePipe()
    let line = SecretBytes.joining([
        .secret(passphrase.withBytes { SecretBytes(copying: $0) }), .text("\n"),
    ])
    try line.withBytes { bytes throws(Errno) in try writeAll(bytes, to: writer.raw) }
    return reader
}

extension Failure {
    fileprivate init(of program: ByteString, _ error: [String: JSONValue]?, _ end: ProcessEnd) {
        guard let message = error?["message"]?.text else {
            self.init(.failure, "\(program.shown): \(end)")
            return
        }
        self.init(
            ExitStatus(end), Message(known: message),
            next: error?["next"]?.text.map { Message(known: $0) })
    }
}
