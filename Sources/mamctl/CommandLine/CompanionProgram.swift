// The project's other programs, which mamctl starts.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Where a program is: beside this one, else where the package has it, else in PATH.
func companion(_ name: String) -> ByteString {
    let beside = ByteString("/proc/self/exe").resolved.map { $0.directory.appending(name) }
    let places = [beside, ByteString("/usr/lib/mamd/\(name)")].compactMap(\.self)
    return places.first { access($0.cString, X_OK) == 0 } ?? ByteString(name)
}

/// What a program said in JSON on its standard output, if anything, and how it ended. Its words for
/// people are on standard error.
func jsonOutput(of argv: [ByteString]) throws(Errno) -> (json: JSONValue?, end: ProcessEnd) {
    let file = try makeMemoryFile([])
    let end = try wait(for: spawn(argv, files: [file.raw: STDOUT_FILENO]))
    _ = try retrying { Int(lseek(file.raw, 0, SEEK_SET)) }
    let bytes = try readToEnd(of: file, maximumByteCount: 1 << 24)
    return (try? JSONValue(parsing: bytes), end)
}

extension ExitStatus {
    /// The status of a program that has the same ones.
    init(_ end: ProcessEnd) {
        if case .exited(let number) = end {
            self = ExitStatus(rawValue: number) ?? .failure
        } else {
            self = .failure
        }
    }
}
