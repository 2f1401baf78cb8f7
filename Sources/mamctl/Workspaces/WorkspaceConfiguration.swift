// The settings directory of a workspace.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
internal import MAMWire

/// A settings directory, which `init` creates, or `mount --name` if it is missing.
struct WorkspaceConfiguration {
    private let path: String
    private var directory: ByteString { ByteString(path) }

    init(of name: WorkspaceName) { path = Places.current.configuration(of: name) }

    var exists: Bool { access(directory.cString, F_OK) == 0 }

    /// Keeps policy documents that an administrator put there before.
    func create(settings: [UInt8]) throws {
        let policies = directory.appending("policies")
        try makeDirectories("\(path)/policies", mode: 0o700)
        try write(settings, as: "settings.json", in: directory)
        if try entries(of: policies).isEmpty {
            try write(defaultPolicy.encoded(pretty: true), as: "default.json", in: policies)
        }
    }

    /// Records which workspace has the name, and where: the daemon serves no other under it.
    func note(_ id: Bytes16, at backing: ByteString) throws {
        let record: JSONValue = [
            "id": .string(id.description), "backingDirectory": .string(backing.shown),
        ]
        let unit = try unitSettings("BACKING=", backing)
        try write(record.encoded(), as: "workspace.json", in: directory)
        if let unit { try write(unit, as: "mount", in: directory, endsLine: false) }
    }

    /// A mount point that is gone has moved.
    func note(mountPoint: ByteString) throws {
        let unit = try unitSettings("MOUNTPOINT=", mountPoint) { old in
            access(old.cString, F_OK) != 0 && Errno.current == .noEntry
        }
        if let unit { try write(unit, as: "mount", in: directory, endsLine: false) }
    }

    /// The units read another file, if there is one. Nil if that stays as it is.
    private func unitSettings(
        _ key: String, _ place: ByteString, where isWanted: (ByteString) -> Bool = { _ in true }
    ) throws(Failure) -> [UInt8]? {
        let path = directory.appending("mount")
        guard let old = try? readSmallFile(path.cString, maximumByteCount: 65_536) else {
            return nil
        }
        let key = Array(key.utf8)
        let lines = old.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { line in
                guard line.starts(with: key), isWanted(ByteString(Array(line.dropFirst(key.count))))
                else { return Array(line) }
                return key + place.bytes
            }
        let new = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
        guard new != old else { return nil }
        try requireUnitPath(place)
        return new
    }
}

extension WorkspaceManifest {
    func write(to backing: ByteString) throws {
        let own = backing.appending(".mamd")
        try makeDirectory(own, mode: 0o700)
        try mamctl.write(json.encoded(), as: Self.fileName, in: own)
    }
}

private func write(
    _ bytes: [UInt8], as name: String, in path: ByteString, endsLine: Bool = true
) throws(Failure) {
    try naming(path.appending(name)) { () throws(Errno) in
        // Do not follow a symbolic link.
        let directory = try openFile(path.cString, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        let line = bytes + (endsLine ? [UInt8(ascii: "\n")] : [])
        try line.span.withUnsafeBytes { buffer throws(Errno) in
            try replaceFile(in: directory.raw, named: name, with: buffer)
        }
    }
}

/// Refuses what is shown in another way than it is written, and what a unit would not have as it
/// is: units read the file `mount` by line, and systemd takes quotes and backslashes away.
func requireUnitPath(_ path: ByteString) throws(Failure) {
    let unusable = Array("\"'\\$".utf8)
    guard !path.bytes.contains(where: unusable.contains), Array(path.shown.utf8) == path.bytes,
        path.bytes.last != UInt8(ascii: " ")
    else {
        throw Failure(
            .usage,
            "\(path.shown): a unit cannot have quotes, backslashes, $ or control characters in a"
                + " path, nor a blank at its end",
            next: "use another path, or mamctl init and mamctl mount")
    }
}

/// The bytes of a settings file that the daemon will accept; without a file, all defaults.
func readSettings(_ path: ByteString?) throws -> [UInt8] {
    guard let path else { return Array("{}".utf8) }
    let bytes = try readFile(path, atMost: 1 << 20)
    do throws(PolicyError) {
        for warning in try Settings.decode(bytes).warnings {
            printError("mamctl: \(path.shown): \(warning)")
        }
    } catch {
        throw Failure(
            .usage, "\(path.shown): \(error)", next: "correct it; mamctl configure FILE checks it")
    }
    return bytes
}
