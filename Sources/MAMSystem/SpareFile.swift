// Small files that can be written to a full disk, too.

internal import Glibc
package import MAMModel

/// More than the file needs: btrfs must have room for its own records before it makes one.
private let spareByteCount: Int64 = 256 << 10

/// Takes room for ``replaceFile(in:named:with:orInPlaceOf:)``, unless it is taken already.
package func takeSpare(in directory: Int32, named name: String) throws(Errno) {
    if let facts = try? status(at: directory, name), facts.st_size == spareByteCount { return }
    let file = try openFile(
        at: directory, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode: 0o600)
    // Random, because a file system may store zeros in less.
    try overwrite(file.raw, byteCount: spareByteCount)
}

/// Like ``replaceFile``, but a full disk or an exhausted quota does not prevent it while there is
/// the file `spare`: its blocks, its inode and its name become those of `name`.
package func replaceFile(
    in directory: Int32, named name: String, with content: UnsafeRawBufferPointer,
    orInPlaceOf spare: String
) throws(Errno) {
    do throws(Errno) {
        try replaceFile(in: directory, named: name, with: content)
    } catch {
        guard error.meansNoRoom, (try? status(at: directory, spare)) != nil else { throw error }
        do throws(Errno) {
            try renameSpare(in: directory, spare, to: name, content)
        } catch {
            guard error.meansNoRoom else { throw error }
            // A file system such as btrfs writes no block in its place.
            try removeFile(in: directory, named: spare)
            try synchronize(directory)
            try replaceFile(in: directory, named: name, with: content)
        }
    }
}

private func renameSpare(
    in directory: Int32, _ spare: String, to name: String, _ content: UnsafeRawBufferPointer
) throws(Errno) {
    let file = try openFile(
        at: directory, spare, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    try writeFully(file.raw, from: content, at: 0)
    try setSize(file.raw, Int64(content.count))
    try synchronize(file.raw)
    try Faults.check(.rename)
    _ = try retrying { renameat(directory, spare, directory, name) }
    try synchronize(directory)
}
