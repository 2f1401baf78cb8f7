// Names and literals for system calls.

internal import Glibc
package import MAMModel

extension ByteString {
    /// The program's arguments as bytes, without its own name.
    package static var commandLine: [ByteString] {
        let arguments = UnsafeBufferPointer(
            start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        return arguments.dropFirst().compactMap { $0.map { ByteString(cString: $0) } }
    }

    /// The absolute path without links; nil when it cannot be resolved.
    package var resolved: ByteString? {
        guard let path = realpath(cString, nil) else { return nil }
        defer { free(path) }
        return ByteString(cString: path)
    }

    /// Like ``resolved`` for all but the last component, which may be missing, or a dead mount.
    package var resolvedDirectory: ByteString? {
        let path = withoutTrailingSlashes
        guard let directory = path.directory.resolved else { return nil }
        let name = path.lastComponent
        // These last components have a meaning only once resolved.
        if [".", "..", "/", ""].contains(name.text) { return resolved }
        return ByteString(
            directory.bytes + (directory.bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")])
                + name.bytes)
    }
}

extension StaticString {
    /// Its bytes, terminated by a zero.
    package var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// Its bytes alone.
    package var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
