// Directories: their entries, their mode and their immutable flag.

internal import CShims
package import Glibc
package import MAMModel

/// Opens a directory stream with its own descriptor and thus its own position; close it with
/// closedir(3). `directory` may be an `O_PATH` descriptor.
package func openDirectoryStream(
    _ directory: Int32, movesAccessTime: Bool = true
) throws(Errno) -> OpaquePointer {
    try Faults.check(.list)
    // Through the descriptor's own path: looking up "." needs search permission on the directory.
    let copy = try withProcPath(of: directory) { path throws(Errno) in
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        // `O_NOATIME` is refused to all but the owner.
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

/// Calls `body` with each name except `.` and `..`, in directory order, until it returns false.
/// Holds one buffer of names at a time, however large the directory is.
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

/// The names except `.` and `..`, in directory order. Only for directories that other users cannot
/// fill: use ``forEachEntry`` for those.
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

/// Removes up to `limit` entries that are not directories. False if it stopped at the limit.
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

/// fsync(2) of a directory, which may be an `O_PATH` descriptor: makes created, renamed and removed
/// names durable.
package func synchronizeDirectory(_ directory: Int32) throws(Errno) {
    let readable = try reopen(directory, O_RDONLY | O_DIRECTORY)
    try withExtendedLifetime(readable) { () throws(Errno) in try synchronize(readable.raw) }
}

// A directory's mode and its immutable flag, also below a mount: through an `O_PATH` descriptor.

package func changeMode(of directory: Descriptor, to mode: mode_t) throws(Errno) {
    try withExtendedLifetime(directory) { () throws(Errno) in
        try withProcPath(of: directory.raw) { path throws(Errno) in
            _ = try retrying { chmod(path, mode) }
        }
    }
}

/// False also where the file system has no such flag. For root, who may read any directory.
package func isImmutable(_ directory: Descriptor) -> Bool {
    let flag = try? withReadable(directory) { mam_is_immutable($0) }
    return flag == 1
}

/// `FS_IMMUTABLE_FL`: nobody, root included, can make, rename or remove anything in it, or change
/// its mode.
package func setImmutable(_ directory: Descriptor, _ value: Bool) throws(Errno) {
    _ = try withReadable(directory) { mam_set_immutable($0, value ? 1 : 0) }
}

private func withReadable(
    _ directory: Descriptor, _ call: (Int32) -> Int32
) throws(Errno) -> Int32 {
    let readable = try withExtendedLifetime(directory) { () throws(Errno) in
        try reopen(directory.raw, O_RDONLY | O_DIRECTORY)
    }
    return try withExtendedLifetime(readable) { () throws(Errno) in
        try retrying { call(readable.raw) }
    }
}
