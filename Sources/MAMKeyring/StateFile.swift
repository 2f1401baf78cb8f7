// Reads small files of the state directory without trusting them.

internal import Glibc
internal import MAMModel
internal import MAMSystem

/// Opens the regular file `name` in `directory` for reading; follows no link and does not wait for
/// a FIFO.
func openStateFile(in directory: Int32, _ name: String) throws(Errno) -> (Descriptor, stat) {
    let file = try openFile(at: directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    let facts = try status(of: file.raw)
    guard facts.st_mode & S_IFMT == S_IFREG else { throw .invalid }
    return (file, facts)
}

/// At most `byteCount` bytes of a state file, plus one more if it is longer, so that its length
/// shows.
func readStateFile(
    in directory: Int32, _ name: String, byteCount: Int
) throws(Errno) -> [UInt8] {
    let (file, _) = try openStateFile(in: directory, name)
    return try readHead(of: file.raw, byteCount: byteCount + 1)
}

let openDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW

/// Opens a subdirectory, creating it with mode 0700 if missing.
func openStateDirectory(in directory: Int32, _ name: String) throws(Errno) -> Descriptor {
    do throws(Errno) {
        return try openFile(at: directory, name, openDirectoryFlags)
    } catch {
        guard error == .noEntry else { throw error }
    }
    do throws(Errno) {
        _ = try retrying { mkdirat(directory, name, 0o700) }
    } catch {
        guard error == .exists else { throw error }
    }
    try synchronize(directory)
    return try openFile(at: directory, name, openDirectoryFlags)
}

/// Removes temporary files that a crash left. Does not overwrite them: one may be another link to a
/// file in use.
func removeUnfinishedFiles(in directory: Int32) throws(Errno) {
    for name in try unfinishedFiles(in: directory) { try removeFile(in: directory, named: name) }
}

/// It begins with a known magic and a version above the known ones.
package struct NewerRecord: Equatable, Sendable {
    /// Relative to the state directory.
    package let fileName: String
    package let version: Int
}

extension NewerRecord: CustomStringConvertible {
    package var description: String {
        "a newer mamd wrote \(fileName) (format version \(version)), which is left as it is:"
            + " install that mamd"
    }
}
