// Other programs: where they are, and what they print.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Where a program is: beside this one, else in PATH, else where the package has what is not in
/// PATH.
func companion(_ name: String) -> ByteString {
    let program = ByteString(name)
    let beside = ByteString("/proc/self/exe").resolved.map { $0.directory.appending(name) }
    let places = [beside, place(ofProgram: program), ByteString("/usr/lib/mamd/\(name)")]
    return places.compactMap(\.self).first { access($0.cString, X_OK) == 0 } ?? program
}

/// What a program said in JSON on its standard output, if anything, and how it ended. Its words for
/// people are on standard error. `files`: as of `spawn`.
func jsonOutput(
    of argv: [ByteString], files: [Int32: Int32] = [:]
) throws(Errno) -> (json: JSONValue?, end: ProcessEnd) {
    let file = try makeMemoryFile([])
    let files = files.merging([file.raw: STDOUT_FILENO]) { $1 }
    let end = try wait(for: spawn(argv, files: files))
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

/// The absolute path of the file that execvp(3) finds, whose links are not followed; nil if there
/// is none.
func place(ofProgram name: ByteString) -> ByteString? {
    if name.bytes.contains(UInt8(ascii: "/")) { return absolute(name) }
    let directories = getenv("PATH").map { ByteString(cString: $0).bytes } ?? []
    return directories.split(separator: UInt8(ascii: ":"))
        .map { ByteString(Array($0)).appending(name) }
        .first { access($0.cString, X_OK) == 0 }
        .flatMap(absolute)
}

private func absolute(_ path: ByteString) -> ByteString? {
    if path.bytes.first == UInt8(ascii: "/") { return path }
    return ByteString(".").resolved?.appending(path)
}

/// The output of a command, up to a size; nil if it cannot be started or fails. Its standard error
/// is discarded.
func output(of words: [String], maximumByteCount: Int = 1 << 20) -> [UInt8]? {
    output(of: words.map { ByteString($0) }, maximumByteCount: maximumByteCount)
}

func output(of argv: [ByteString], maximumByteCount: Int = 1 << 20) -> [UInt8]? {
    guard let (reader, writer) = try? makePipe(), let null = try? openFile("/dev/null", O_RDWR)
    else { return nil }
    let started = withExtendedLifetime((writer, null)) {
        try? spawn(
            argv,
            files: [writer.raw: STDOUT_FILENO, null.raw: STDERR_FILENO], inNewSession: true)
    }
    guard let process = started else { return nil }
    let bytes = readAll(reader, closing: writer, maximumByteCount)
    guard let end = try? wait(for: process), end == .exited(0) else { return nil }
    return bytes
}

/// `writer`: our copy of the write end, which must be closed to reach the end of file.
private func readAll(
    _ reader: Descriptor, closing writer: consuming Descriptor, _ limit: Int
) -> [UInt8] {
    if let null = try? openFile("/dev/null", O_RDWR) { try? redirect(writer, to: null) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while let count = try? retrying({ read(reader.raw, &part, part.count) }), count > 0 {
        if bytes.count < limit { bytes += part[..<count] }
    }
    return bytes
}
