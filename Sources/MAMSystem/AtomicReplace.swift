// Small files that must be whole or absent: settings, keybags, counters.

internal import CShims
package import Glibc

/// Writes a new file and renames it over `name`, both in `directory`: after a crash the old content is
/// there or the new one. File and directory are synced before this returns.
package func replaceFile(
    in directory: Int32, named name: String, with content: UnsafeRawBufferPointer,
    mode: mode_t = 0o600
) throws(Errno) {
    let temporary = ".\(name).\(getpid()).new"
    do throws(Errno) {
        let file = try openFile(
            at: directory, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: mode)
        try writeFully(file.raw, from: content, at: 0)
        try synchronize(file.raw)
        try Faults.check(.rename)
        _ = try retrying { renameat(directory, temporary, directory, name) }
    } catch {
        unlinkat(directory, temporary, 0)
        throw error
    }
    try synchronize(directory)
}

/// The whole of a small file; `EFBIG` past `maximumByteCount`.
package func readSmallFile(
    at directory: Int32 = workingDirectory, _ path: UnsafePointer<CChar>, maximumByteCount: Int
) throws(Errno) -> [UInt8] {
    let file = try openFile(at: directory, path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    var bytes = [UInt8](repeating: 0, count: maximumByteCount + 1)
    // Sequential reads: /proc and pipes have no offsets.
    var done = 0
    while done < bytes.count {
        let count = try retrying {
            bytes.withUnsafeMutableBytes { buffer in
                read(file.raw, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
        }
        if count == 0 { break }
        done += count
    }
    guard done <= maximumByteCount else { throw .fileTooLarge }
    bytes.removeLast(bytes.count - done)
    return bytes
}

/// Creates a directory and its missing parents; an existing one is left as it is.
package func makeDirectories(_ path: String, mode: mode_t) throws(Errno) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    var prefix = path.hasPrefix("/") ? "" : "."
    for part in parts {
        prefix += "/\(part)"
        if mkdir(prefix, mode) != 0, Errno.current != .exists {
            let error = Errno.current
            // A read-only or foreign parent that exists already is no obstacle.
            if access(prefix, F_OK) != 0 { throw error }
        }
    }
}
