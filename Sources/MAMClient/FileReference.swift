// References to files. File names are bytes.

internal import Glibc
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// A file by path or by descriptor.
public enum FileReference: Sendable, Hashable, ExpressibleByStringLiteral {
    /// A path in UTF-8.
    case path(String)
    /// A path in arbitrary bytes.
    case bytes([UInt8])
    /// An open descriptor, which the caller keeps; `O_PATH` suffices for a file in the mount.
    case descriptor(Int32)

    /// A path.
    public init(stringLiteral path: String) { self = .path(path) }
}

extension FileReference {
    /// For messages.
    var shown: String {
        switch self {
        case .path(let path): ByteString(path).shown
        case .bytes(let bytes): ByteString(bytes).shown
        case .descriptor(let number): "descriptor \(number)"
        }
    }

    /// Our own descriptor, opened with these flags.
    func open(_ flags: Int32, mode: mode_t = 0) throws(MAMError) -> Descriptor {
        let path: ByteString
        switch self {
        case .path(let text): path = try Self.name(Array(text.utf8))
        case .bytes(let bytes): path = try Self.name(bytes)
        case .descriptor(let number):
            return try naming { () throws(Errno) in try duplicate(number) }
        }
        return try naming { () throws(Errno) in try openFile(path.cString, flags, mode: mode) }
    }

    /// For a query: the daemon reads the header of a file outside the mount through it.
    func openForQuestion() throws(MAMError) -> Descriptor {
        let file = try open(openPathOnly)
        guard case .descriptor = self else {
            return workspace(of: file) != nil
                ? file
                : try naming { () throws(Errno) in try reopen(file.raw, O_RDONLY | O_NONBLOCK) }
        }
        return file
    }

    /// Adds the file's name to a system call's error.
    func naming<Value>(_ call: () throws(Errno) -> Value) throws(MAMError) -> Value {
        do throws(Errno) { return try call() } catch { throw MAMError(shown, error) }
    }

    /// A zero byte would cut the path short.
    private static func name(_ bytes: [UInt8]) throws(MAMError) -> ByteString {
        guard !bytes.isEmpty, !bytes.contains(0) else {
            throw MAMError(.invalidInput, "a path has at least one byte, and no zero byte")
        }
        return ByteString(bytes)
    }
}
