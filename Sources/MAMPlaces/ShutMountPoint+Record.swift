// The record of a shut mount point, in the state directory: it outlives the daemon.

internal import Glibc
package import MAMModel
internal import MAMSystem

private let fileName = "mount-point.json"

extension Places {
    /// Nil if none is shut, or the record cannot be read.
    package func shutMountPoint(of name: WorkspaceName) -> ShutMountPoint? {
        let path = "\(state(of: name))/\(fileName)"
        guard let bytes = try? readSmallFile(path, maximumByteCount: 65_536),
            let members = (try? JSONValue(parsing: bytes))?.object,
            let place = members["mountPoint"]?.text,
            let mode = members["mode"]?.integer.flatMap({ mode_t(exactly: $0) })
        else { return nil }
        return ShutMountPoint(
            place: ByteString(shown: place), mode: mode & 0o7777,
            wasImmutable: members["immutable"]?.bool ?? false)
    }

    /// Durable before the directory changes: its mode would be lost otherwise.
    package func keep(_ point: ShutMountPoint, of name: WorkspaceName) throws(Errno) {
        let record: JSONValue = [
            "mountPoint": .string(point.place.shown), "mode": JSONValue(Int64(point.mode)),
            "immutable": .bool(point.wasImmutable),
        ]
        try makeDirectories(state(of: name), mode: 0o700)
        try withState(of: name) { directory throws(Errno) in
            try record.encoded().span.withUnsafeBytes { bytes throws(Errno) in
                try replaceFile(in: directory, named: fileName, with: bytes)
            }
        }
    }

    package func forgetShutMountPoint(of name: WorkspaceName) throws(Errno) {
        try withState(of: name) { directory throws(Errno) in
            try removeFile(in: directory, named: fileName)
            try synchronize(directory)
        }
    }

    private func withState(
        of name: WorkspaceName, _ body: (Int32) throws(Errno) -> Void
    ) throws(Errno) {
        let directory = try openFile(state(of: name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        try withExtendedLifetime(directory) { () throws(Errno) in try body(directory.raw) }
    }
}
