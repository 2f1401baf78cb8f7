// Destroying files.

internal import CShims
internal import Glibc
package import MAMModel

/// Removes a name; a missing one is no error.
package func removeFile(
    in directory: Int32, named name: UnsafePointer<CChar>
) throws(Errno) {
    try Faults.check(.remove)
    do throws(Errno) {
        _ = try retrying { unlinkat(directory, name, 0) }
    } catch {
        guard error == .noEntry else { throw error }
    }
}

/// Overwrites a small file with random bytes, syncs and removes it. Removes a symbolic link without
/// following it; a missing file is no error. A file that cannot be overwritten is removed too, and
/// the error thrown. The caller syncs the directory.
///
/// Random bytes, because a storage device may deallocate blocks of zeros instead of writing them.
package func eraseFile(in directory: Int32, named name: String) throws(Errno) {
    var failure: Errno?
    do throws(Errno) { try overwriteFile(in: directory, named: name) } catch { failure = error }
    try removeFile(in: directory, named: name)
    if let failure { throw failure }
}

private func overwriteFile(in directory: Int32, named name: String) throws(Errno) {
    do throws(Errno) {
        let file = try openFile(
            at: directory, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        let facts = try status(of: file.raw)
        if facts.st_mode & S_IFMT == S_IFREG {
            try overwrite(file.raw, byteCount: Int64(facts.st_size))
        }
    } catch {
        guard [.noEntry, .tooManyLinks].contains(error) else { throw error }
    }
}

/// Fills a file with random bytes and syncs it.
func overwrite(_ descriptor: Int32, byteCount: Int64) throws(Errno) {
    let room = 4096
    let noise = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 1)
    defer { noise.deallocate() }
    var offset: Int64 = 0
    while offset < byteCount {
        let count = Int(min(Int64(room), byteCount - offset))
        guard mam_random(noise, count) == 1 else { throw .current }
        try writeFully(
            descriptor, from: UnsafeRawBufferPointer(start: noise, count: count), at: offset)
        offset += Int64(count)
    }
    try synchronize(descriptor)
}
