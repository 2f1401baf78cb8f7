// Starts programs and reports how they ended.

internal import CShims
package import Glibc
package import MAMModel
internal import Synchronization

/// How a process ended.
package enum ProcessEnd: Sendable, Equatable, CustomStringConvertible {
    case exited(Int32)
    case killed(Int32)

    package var description: String {
        switch self {
        case .exited(let status): "exited with status \(status)"
        case .killed(let signal): "was killed by signal \(signal)"
        }
    }
}

/// The umask of started programs; -1: the daemon's own.
private let programsUmask = Atomic<Int32>(-1)

/// Sets the umask to 0, so that files get exactly the modes they are created with. Started programs
/// get the old umask.
package func dropUmask() { programsUmask.store(Int32(umask(0)), ordering: .relaxed) }

/// posix_spawnp(3) has no umask parameter: the child inherits that of the calling thread.
private func withProgramsUmask(_ start: () -> Int32) throws(Errno) -> Int32 {
    let wanted = programsUmask.load(ordering: .relaxed)
    guard wanted >= 0 else { return start() }
    // Repeated each time, because threads started since then share the umask again.
    _ = try retrying { mam_leave_shared_umask() }
    let own = umask(mode_t(wanted))
    defer { umask(own) }
    return start()
}

/// posix_spawnp(3). `files`: descriptors of ours and their numbers in the child. `environment`: nil
/// to inherit. `resettingSignals`: the child starts with no signal blocked or ignored.
package func spawn(
    _ argv: [ByteString], files: [Int32: Int32] = [:], inNewSession: Bool = false,
    environment: [ByteString]? = nil, resettingSignals: Bool = false
) throws(Errno) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (mine, its) in files { posix_spawn_file_actions_adddup2(&actions, mine, its) }
    if inNewSession, !files.values.contains(STDIN_FILENO) {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // POSIX_SPAWN_SETSID, which glibc defines only with _GNU_SOURCE; SETSIGDEF and SETSIGMASK.
    var flags: Int16 = inNewSession ? 0x80 : 0
    if resettingSignals {
        flags |= 0x04 | 0x08
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
    }
    posix_spawnattr_setflags(&attributes, flags)
    var process: pid_t = 0
    let status = try withProgramsUmask {
        withArguments(argv) { program, arguments in
            guard let environment else {
                return posix_spawnp(&process, program, &actions, &attributes, arguments, environ)
            }
            return withPointers(environment) {
                posix_spawnp(&process, program, &actions, &attributes, arguments, $0)
            }
        }
    }
    guard status == 0 else { throw Errno(rawValue: status) }
    return process
}

/// waitpid(2).
package func wait(for process: pid_t) throws(Errno) -> ProcessEnd {
    var status: Int32 = 0
    _ = try retrying { waitpid(process, &status, 0) }
    return ProcessEnd(status)
}

/// waitpid(2) with WNOHANG: nil while the process runs.
package func pollEnd(of process: pid_t) throws(Errno) -> ProcessEnd? {
    var status: Int32 = 0
    return try retrying { waitpid(process, &status, WNOHANG) } == 0 ? nil : ProcessEnd(status)
}

extension ProcessEnd {
    /// Decodes a wait(2) status.
    package init(_ status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
    }
}

/// execvp(3): returns only on failure.
package func execute(_ argv: [ByteString]) -> Errno {
    withArguments(argv) { program, arguments in
        execvp(program, arguments)
        return Errno.current
    }
}

/// Lends the arguments as C strings.
private func withArguments<Result>(
    _ argv: [ByteString],
    _ body: (UnsafePointer<CChar>, [UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    argv[0].cString.withUnsafeBufferPointer { program in
        // A C string has at least its terminator, so the buffer has an address.
        guard let name = program.baseAddress else { preconditionFailure("no program name") }
        return withPointers(argv) { body(name, $0) }
    }
}

/// Lends strings as a null-terminated array of C strings.
package func withPointers<Result>(
    _ strings: [ByteString], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let pointers = strings.map { strdup($0.cString) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
}

/// A memory file with this content, positioned at its start, close-on-exec.
package func makeMemoryFile(_ content: [UInt8]) throws(Errno) -> Descriptor {
    let file = Descriptor(owning: try retrying { mam_memory_file() })
    try content.span.withUnsafeBytes { bytes throws(Errno) in
        try writeFully(file.raw, from: bytes, at: 0)
    }
    return file
}

/// A pipe, close-on-exec.
package func makePipe() throws(Errno) -> (reader: Descriptor, writer: Descriptor) {
    var ends: [Int32] = [-1, -1]
    _ = try retrying { mam_pipe(&ends) }
    return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
}
