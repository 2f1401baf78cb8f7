// Reading directories.

internal import CShims
internal import Glibc

/// A stream over a directory, to be closed with closedir(3). It has a descriptor of its own, so
/// that the reading position is not shared; an `O_PATH` one may be given.
package func openDirectoryStream(
    _ directory: Int32, movesAccessTime: Bool = true
) throws(Errno) -> OpaquePointer {
    try Faults.check(.list)
    // By the descriptor's own path: "." would have to be looked up in a directory that may only be
    // read.
    let copy = try withProcPath(of: directory) { path throws(Errno) in
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        // Only its owner may ask for that.
        if !movesAccessTime {
            let found = mam_openat(workingDirectory, path, flags | openWithoutAccessTime, 0)
            if found >= 0 { return found }
        }
        return try retrying { mam_openat(workingDirectory, path, flags, 0) }
    }
    guard let stream = fdopendir(copy) else {
        let error = Errno.current
        close(copy)
        throw error
    }
    return stream
}

/// Lends each name in a directory, without `.` and `..`, in its own order, until `body` returns
/// false. However many there are, no more than one buffer of them is held.
package func forEachEntry(
    of directory: Int32, _ body: (UnsafePointer<CChar>) -> Bool
) throws(Errno) {
    let stream = try openDirectoryStream(directory)
    defer { closedir(stream) }
    while true {
        errno = 0
        guard let entry = readdir(stream) else {
            guard errno == 0 else { throw .current }
            return
        }
        let goesOn = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || body(name)
            }
        }
        if !goesOn { return }
    }
}

/// The names in a directory, without `.` and `..`, in its own order. Only of one that nobody else
/// can fill: see above.
package func entries(of directory: Int32) throws(Errno) -> [ByteString] {
    var names: [ByteString] = []
    try forEachEntry(of: directory) { name in
        names.append(ByteString(cString: name))
        return true
    }
    return names
}

/// The same by path.
package func entries(of directory: ByteString) throws(Errno) -> [ByteString] {
    let file = try openFile(directory.cString, O_RDONLY | O_DIRECTORY)
    return try withExtendedLifetime(file) { () throws(Errno) in try entries(of: file.raw) }
}

/// Removes entries of a directory that are not directories, at most so many. False if it stopped at
/// that number.
@discardableResult
package func removeFiles(
    in directory: Int32, atMost limit: Int = .max,
    where isUnwanted: (ByteString) -> Bool = { _ in true }
) throws(Errno) -> Bool {
    var count = 0
    var isWhole = true
    try forEachEntry(of: directory) { name in
        guard isUnwanted(ByteString(cString: name)) else { return true }
        isWhole = count < limit
        if isWhole { unlinkat(directory, name, 0) }
        count += 1
        return isWhole
    }
    return isWhole
}

/// fsync(2) of a directory, whose descriptor may be an `O_PATH` one: names that were made, moved or
/// removed in it are durable.
package func synchronizeDirectory(_ directory: Int32) throws(Errno) {
    let readable = try reopen(directory, O_RDONLY | O_DIRECTORY)
    try withExtendedLifetime(readable) { () throws(Errno) in try synchronize(readable.raw) }
}
