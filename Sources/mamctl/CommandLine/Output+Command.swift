// Captures the output of a command.

internal import Glibc
internal import MAMModel
internal import MAMSystem

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
