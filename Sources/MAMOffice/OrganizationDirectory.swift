// The organisation's directory: its layout, and how its files are read and written.

internal import Glibc
package import MAMCrypto
package import MAMFleet
package import MAMModel
internal import MAMSystem

/// ORG of docs/FLEET.md. Every file is replaced as a whole, and durable before the call returns.
/// Names are relative, with `/`.
package struct OrganizationDirectory: Sendable {
    package let path: ByteString

    package static let root = "root.json"
    package static let roots = "roots"
    package static let signed = "signed"
    package static let orders = "orders"
    package static let time = "time.json"
    package static let engine = "engine"
    package static let machines = "machines"
    package static let invitations = "invitations"
    package static let invited = "invited"
    package static let requests = "reports/enrolment"

    package init(_ path: ByteString) { self.path = path }

    /// Why a file was not read or written.
    package struct Failure: Error, Sendable, Equatable {
        package let path: ByteString
        package let reason: Reason

        package enum Reason: Sendable, Equatable {
            case system(Errno)
            case refusal(Refusal)
            /// Others may read a secret.
            case exposed
        }
    }

    package func whole(_ name: String) -> ByteString { path.appending(name) }

    package func failure(_ name: String, _ refusal: Refusal) -> Failure {
        Failure(path: whole(name), reason: .refusal(refusal))
    }

    private func naming<Value>(
        _ name: String, _ body: () throws(Errno) -> Value
    ) throws(Failure) -> Value {
        do throws(Errno) { return try body() } catch {
            throw Failure(path: whole(name), reason: .system(error))
        }
    }

    // MARK: Reading

    /// Whether there is such a file. Throws where that cannot be known.
    package func has(_ name: String) throws(Failure) -> Bool {
        try naming(name) { () throws(Errno) in
            do throws(Errno) {
                _ = try status(at: workingDirectory, whole(name).cString)
                return true
            } catch {
                guard error == .noEntry || error == .notDirectory else { throw error }
                return false
            }
        }
    }

    package func read(_ name: String, atMost limit: Int) throws(Failure) -> [UInt8] {
        try naming(name) { () throws(Errno) in
            try readSmallFile(whole(name).cString, maximumByteCount: limit)
        }
    }

    /// What `parse` makes of a file.
    package func read<Value>(
        _ name: String, atMost limit: Int, _ parse: ([UInt8]) throws(Refusal) -> Value
    ) throws(Failure) -> Value {
        let bytes = try read(name, atMost: limit)
        do throws(Refusal) { return try parse(bytes) } catch { throw failure(name, error) }
    }

    /// Refuses a secret that others than the owner may read: they may know it already.
    package func readSecret(_ name: String, atMost limit: Int) throws(Failure) -> SecretBytes {
        let file = try naming(name) { () throws(Errno) in
            try openFile(whole(name).cString, O_RDONLY | O_NOCTTY | O_NONBLOCK)
        }
        let found = try naming(name) { () throws(Errno) in try status(of: file.raw) }
        guard found.st_mode & S_IFMT == S_IFREG, found.st_mode & 0o077 == 0 else {
            throw Failure(path: whole(name), reason: .exposed)
        }
        let secret = try naming(name) { () throws(Errno) in
            try SecretBytes.read(file, atMost: limit + 1)
        }
        guard secret.count <= limit else { throw failure(name, .malformed("it is too long")) }
        return secret
    }

    /// The names in a directory; none if there is no directory.
    func entries(of name: String) throws(Failure) -> [String] {
        guard try has(name) else { return [] }
        return try naming(name) { () throws(Errno) in
            try MAMSystem.entries(of: whole(name)).compactMap(\.text)
        }
    }

    /// The regular files below a directory, in order; none if there is no directory. Hidden ones
    /// are unfinished.
    package func files(below name: String, suffix: String = ".json") throws(Failure) -> [String] {
        var (found, ahead): ([String], [String]) = ([], [name])
        while let next = ahead.popLast() {
            for entry in try entries(of: next) where !entry.hasPrefix(".") {
                let below = "\(next)/\(entry)"
                let kind = try naming(below) { () throws(Errno) -> mode_t in
                    try status(at: workingDirectory, whole(below).cString, followLinks: true)
                        .st_mode & S_IFMT
                }
                switch kind {
                case S_IFDIR: ahead.append(below)
                case S_IFREG where entry.hasSuffix(suffix): found.append(below)
                default: break
                }
            }
        }
        return found.sorted()
    }

    // MARK: Writing

    /// Writes a file that everybody may read.
    package func write(_ name: String, _ bytes: [UInt8]) throws(Failure) {
        try replace(name, bytes.span.bytes, mode: 0o644)
    }

    /// Writes a file for its owner alone.
    package func writePrivately(_ name: String, _ bytes: [UInt8]) throws(Failure) {
        try replace(name, bytes.span.bytes, mode: 0o600)
    }

    package func write(_ name: String, secret: SecretBytes) throws(Failure) {
        try secret.withBytes { bytes throws(Failure) in
            guard bytes.count == secret.count else {
                throw Failure(path: whole(name), reason: .system(.invalid))
            }
            try replace(name, bytes.bytes, mode: 0o600)
        }
    }

    /// Leaves a file that has these bytes as it is, its time too. True if it was written.
    package func update(_ name: String, _ bytes: [UInt8]) throws(Failure) -> Bool {
        let former = try? readSmallFile(
            whole(name).cString, maximumByteCount: Bundle.maximumByteCount)
        guard former != bytes else { return false }
        try write(name, bytes)
        return true
    }

    package func remove(_ name: String) throws(Failure) {
        try naming(name) { () throws(Errno) in
            _ = try retrying { unlink(whole(name).cString) }
            let directory = try openFile(whole(name).directory.cString, O_RDONLY | O_DIRECTORY)
            try synchronize(directory.raw)
        }
    }

    /// What people may read and change by hand.
    func lines(_ json: JSONValue) -> [UInt8] { json.encoded(pretty: true) + [0x0A] }

    private func replace(
        _ name: String, _ bytes: RawSpan, mode: mode_t
    ) throws(Failure) {
        try makeDirectories(above: name, mode: mode == 0o600 ? 0o700 : 0o755)
        try naming(name) { () throws(Errno) in
            let target = whole(name)
            let directory = try openFile(target.directory.cString, O_RDONLY | O_DIRECTORY)
            try bytes.withUnsafeBytes { bytes throws(Errno) in
                try replaceFile(
                    in: directory.raw, named: target.lastComponent.text ?? name, with: bytes,
                    mode: mode)
            }
        }
    }

    private func makeDirectories(above name: String, mode: mode_t) throws(Failure) {
        let steps = name.split(separator: "/").dropLast().map(String.init)
        for count in 0...steps.count {
            let directory = steps[..<count].joined(separator: "/")
            try naming(directory) { () throws(Errno) in
                do throws(Errno) {
                    _ = try retrying { mkdir(whole(directory).cString, mode) }
                } catch { if error != .exists { throw error } }
            }
        }
    }
}
