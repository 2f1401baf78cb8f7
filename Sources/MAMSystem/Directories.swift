// Reading directories.

internal import CShims
internal import Glibc

/// A stream over a directory, to be closed with closedir(3). It has a descriptor of its own, so that the reading
/// position is not shared; an `O_PATH` one may be given.
package func openDirectoryStream(_ directory: Int32) throws(Errno) -> OpaquePointer {
    // By the descriptor's own path: "." would have to be looked up in a directory that may only be read.
    let copy = try withProcPath(of: directory) { path throws(Errno) in
        try retrying { mam_openat(workingDirectory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
    }
    guard let stream = fdopendir(copy) else {
        let error = Errno.current
        close(copy)
        throw error
    }
    return stream
}

/// The names in a directory, without `.` and `..`, in its own order.
package func entries(of directory: Int32) throws(Errno) -> [ByteString] {
    let stream = try openDirectoryStream(directory)
    defer { closedir(stream) }
    var names: [ByteString] = []
    while true {
        errno = 0
        guard let entry = readdir(stream) else {
            guard errno == 0 else { throw .current }
            return names
        }
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { ByteString(cString: $0) }
        }
        if ![".", ".."].contains(name.text) { names.append(name) }
    }
}

/// The same by path.
package func entries(of directory: ByteString) throws(Errno) -> [ByteString] {
    let file = try openFile(directory.cString, O_RDONLY | O_DIRECTORY)
    return try withExtendedLifetime(file) { () throws(Errno) in try entries(of: file.raw) }
}

/// Removes all entries of a directory that are not directories.
package func removeFiles(in directory: Int32) throws(Errno) {
    for name in try entries(of: directory) { unlinkat(directory, name.cString, 0) }
}

/// fsync(2) of a directory, whose descriptor may be an `O_PATH` one: names that were made, moved or removed in it are
/// durable.
package func synchronizeDirectory(_ directory: Int32) throws(Errno) {
    let readable = try reopen(directory, O_RDONLY | O_DIRECTORY)
    try withExtendedLifetime(readable) { () throws(Errno) in try synchronize(readable.raw) }
}
