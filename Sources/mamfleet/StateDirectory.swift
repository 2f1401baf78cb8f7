// Where the service keeps what outlasts it.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// /var/lib/mamfleet/WORKSPACE, or a user's own. Files are replaced as a whole.
struct StateDirectory: Sendable {
    let path: String
    private let descriptor: Descriptor

    /// The longest file that is read.
    static let maximumByteCount = 8 << 20

    init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = try naming(path) { () throws(Errno) in
            // The service's user must find the way to what root makes for it.
            let parent = path.split(separator: "/").dropLast().joined(separator: "/")
            let isAbsolute = path.hasPrefix("/")
            try makeDirectories(
                (isAbsolute ? "/" : "") + parent, mode: geteuid() == 0 ? 0o755 : 0o700)
            try makeDirectories(path, mode: 0o700)
            return try openFile(path, O_RDONLY | O_DIRECTORY)
        }
        // A crash may have left unfinished files.
        for name in (try? unfinishedFiles(in: descriptor.raw)) ?? [] {
            unlinkat(descriptor.raw, name, 0)
        }
    }

    /// The path that the option gives, else systemd's, else the user's own.
    static func path(of workspace: WorkspaceName, _ given: String?) -> String {
        if let given { return given }
        let variable = { (name: String) in
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        if let directory = variable("STATE_DIRECTORY") { return directory }
        if let home = variable("XDG_STATE_HOME") { return "\(home)/mamfleet/\(workspace)" }
        if geteuid() == 0 { return "/var/lib/mamfleet/\(workspace)" }
        return "\(variable("HOME") ?? "")/.local/state/mamfleet/\(workspace)"
    }

    /// Nil if there is no such file.
    func read(_ name: String) throws(Errno) -> [UInt8]? {
        do throws(Errno) {
            return try readSmallFile(
                at: descriptor.raw, name, maximumByteCount: Self.maximumByteCount)
        } catch {
            if error == .noEntry { return nil }
            throw error
        }
    }

    /// The JSON in a file; nil also if there is none in it.
    func json(_ name: String) -> JSONValue? {
        guard let bytes = (try? read(name)) ?? nil else { return nil }
        return try? JSONValue(parsing: bytes)
    }

    func replace(_ name: String, with bytes: [UInt8]) throws(Errno) {
        try bytes.span.withUnsafeBytes { content throws(Errno) in
            try replaceFile(in: descriptor.raw, named: name, with: content)
        }
    }

    func replace(_ name: String, withSecret bytes: UnsafeRawBufferPointer) throws(Errno) {
        try replaceFile(in: descriptor.raw, named: name, with: bytes)
    }

    func remove(_ name: String) { unlinkat(descriptor.raw, name, 0) }

    func names() throws(Errno) -> [String] {
        try entries(of: descriptor.raw).compactMap(\.text)
    }

    /// Gives what root has made to the service's user.
    func give(to name: String) throws(Failure) {
        guard geteuid() == 0, let entry = getpwnam(name) else { return }
        let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        try naming(path) { () throws(Errno) in
            _ = try retrying { fchown(descriptor.raw, user, group) }
            for name in try names() {
                do throws(Errno) {
                    _ = try retrying {
                        fchownat(descriptor.raw, name, user, group, AT_SYMLINK_NOFOLLOW)
                    }
                } catch {
                    // A service that runs replaces its files.
                    guard error == .noEntry else { throw error }
                }
            }
        }
    }
}

// MARK: The web server's words for the states of files that are kept

extension StateDirectory {
    private static let tagsFile = "web-tags.json"

    func tag(of file: String) -> String? {
        guard let found = (try? read(file)) ?? nil, !found.isEmpty else { return nil }
        return json(Self.tagsFile)?.object?[file]?.text
    }

    /// Comes after the file: a tag without its file would keep it away for ever.
    func setTag(_ tag: String, of file: String) throws(Errno) {
        var all = json(Self.tagsFile)?.object ?? [:]
        all[file] = .string(tag)
        try replace(Self.tagsFile, with: JSONValue.object(all).encoded())
    }
}
