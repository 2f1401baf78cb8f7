// Emptying a directory of unfinished files.

internal import Glibc

/// Removes all entries of a directory that are not directories.
package func removeFiles(in directory: Descriptor) throws(Errno) {
    let copy = try openFile(at: directory.raw, ".", O_RDONLY | O_DIRECTORY)
    let raw = dup(copy.raw)
    guard raw >= 0, let stream = fdopendir(raw) else { throw Errno.current }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
        guard entry.pointee.d_type != UInt8(DT_DIR) else { continue }
        withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                _ = unlinkat(directory.raw, name, 0)
            }
        }
    }
}
