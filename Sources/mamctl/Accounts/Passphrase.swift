// Reads a passphrase from a file, a program, the terminal or standard input.

internal import Glibc
internal import MAMCommandLine
internal import MAMCrypto
internal import MAMModel
internal import MAMSystem
internal import MAMWire

extension Invocation {
    /// The passphrase from `--passfile` or `--extpass` (with `optionPrefix` before their names),
    /// else from the terminal, twice if it `isNew`, else the next line of standard input.
    func passphrase(
        _ prompt: Message, isNew: Bool, optionPrefix: String = ""
    ) throws -> SecretBuffer {
        try refuseTwoSources(optionPrefix)
        let secret: SecretBuffer
        let command = arguments.values("\(optionPrefix)extpass")
        if let path = arguments.value("\(optionPrefix)passfile") {
            secret = try readPassfile(path)
        } else if !command.isEmpty {
            secret = try readFromCommand(command)
        } else if isatty(STDIN_FILENO) == 1 {
            secret = try Terminal.ask(prompt)
            if isNew, !secret.isEmpty, !secret.equals(try Terminal.ask("Again")) {
                throw Failure(.usage, "the two passphrases differ", next: "type it again")
            }
            if !isNew, optionPrefix.isEmpty { try refuseMistyped(secret) }
        } else {
            secret = try SecretBuffer()
            try secret.readLine(from: STDIN_FILENO)
        }
        guard !secret.isEmpty else {
            throw Failure(
                .usage, "\(prompt): empty or missing",
                next: "add --\(optionPrefix)passfile FILE")
        }
        return secret
    }

    /// Recovery words that were read or typed wrongly cost no try. What only looks like them is
    /// taken from a file.
    private func refuseMistyped(_ secret: SecretBuffer) throws(Failure) {
        let mistake = secret.withBytes { RecoveryWords.mistake(in: SecretBytes(copying: $0)) }
        guard let mistake else { return }
        throw Failure(.usage, mistake.message, next: "compare it with what is written down")
    }

    private func refuseTwoSources(_ prefix: String) throws(Failure) {
        if arguments.has("\(prefix)extpass") {
            try refuse(["\(prefix)passfile"], with: "\(prefix)extpass")
        }
    }
}

extension Arguments {
    /// Whether the terminal is asked for the passphrase.
    func isTyped(_ optionPrefix: String = "") -> Bool {
        isatty(STDIN_FILENO) == 1 && !has("\(optionPrefix)passfile")
            && !has("\(optionPrefix)extpass")
    }
}

/// Asks again, as long as what was typed is what was wrong, and another may help.
func askingAgain<Value>(
    if isTyped: Bool, for statuses: [ExitStatus] = [.usage], _ body: () throws -> Value,
    forget: (ExitStatus) -> Void = { _ in }
) throws -> Value {
    for _ in 1..<3 where isTyped {
        do { return try body() } catch let failure as Failure
            where !failure.isFinal
            && (statuses.contains(failure.status) || failure.refusalCause == .passphrase)
        {
            printError("mamctl: \(failure.message)")
            forget(failure.status)
        }
    }
    return try body()
}

/// Reads a one-line file.
func readPassfile(_ path: ByteString) throws -> SecretBuffer {
    let file = try openFile(path, O_RDONLY)
    let secret = try SecretBuffer()
    try secret.readLine(from: file.raw)
    var next: UInt8 = 0
    // Refuse further lines: the user may have meant them to be part of the passphrase.
    guard read(file.raw, &next, 1) <= 0 else {
        throw Failure(
            .usage, "\(path.shown): more than one line in a passphrase file",
            next: "put only the passphrase in it")
    }
    guard !secret.isEmpty else {
        throw Failure(
            .usage, "\(path.shown): the passphrase is empty", next: "put the passphrase in it")
    }
    return secret
}

/// Reads the first line of a program's output. A single word is split at spaces.
private func readFromCommand(_ words: [ByteString]) throws -> SecretBuffer {
    var argv = words
    if words.count == 1 {
        argv = words[0].bytes.split(separator: UInt8(ascii: " ")).map { ByteString(Array($0)) }
    }
    guard let program = argv.first else {
        throw Failure(.usage, "--extpass needs a command", next: "add --extpass CMD")
    }
    let (reader, process) = try start(argv, program)
    let secret = try SecretBuffer()
    try secret.readLine(from: reader.raw)
    let end = try wait(for: process)
    guard end == .exited(0) else {
        throw Failure(
            .failure, "\(program.shown): \(end)", next: "run it on its own to see why")
    }
    guard !secret.isEmpty else {
        throw Failure(
            .usage, "\(program.shown): the passphrase is empty",
            next: "run it on its own to see why")
    }
    return secret
}

/// Starts the program and returns its output and process. On return, our copy of the pipe's write
/// end is closed: otherwise reading would not end.
private func start(_ argv: [ByteString], _ program: ByteString) throws -> (Descriptor, pid_t) {
    let (reader, writer) = try makePipe()
    let process = try naming(program, spawn(argv, files: [writer.raw: STDOUT_FILENO]))
    return (reader, process)
}
