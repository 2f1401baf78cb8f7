// A directory of small files, packed by tar(1).

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Writes one file per member. Removes its temporary files.
func writeArchive(_ parts: [String: JSONValue], to archive: Descriptor) throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/mamctl-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(ByteString(base), .current) }
    let top = String(cString: template.map { UInt8(bitPattern: $0) })
    let directory = "\(top)/mamd-diagnostics"
    defer { removeTree(top) }
    _ = try retrying { mkdir(directory, 0o700) }
    for (name, value) in parts { try write(value, to: "\(directory)/\(name).json") }
    let end = try withExtendedLifetime(archive) {
        try wait(
            for: spawn(
                [
                    "tar", "--create", "--gzip", "--owner=0", "--group=0", "--sort=name",
                    "--directory", top, "mamd-diagnostics",
                ].map { ByteString($0) }, files: [archive.raw: STDOUT_FILENO]))
    }
    guard end == .exited(0) else {
        throw Failure(.failure, "tar \(end)", next: "see its message")
    }
}

private func write(_ value: JSONValue, to path: String) throws {
    let file = try openFile(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    try value.encoded(pretty: true).span.withUnsafeBytes { bytes in
        try writeFully(file.raw, from: bytes, at: 0)
    }
}

private func removeTree(_ top: String) {
    let directory = "\(top)/mamd-diagnostics"
    for name in (try? entries(of: ByteString(directory))) ?? [] {
        unlink(ByteString(directory).appending(name).cString)
    }
    rmdir(directory)
    rmdir(top)
}
