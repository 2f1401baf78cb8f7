// Small files that must be whole or absent: settings, keybags, counters.

internal import CShims
package import Glibc
package import MAMModel

/// Writes a new file and renames it over `name`, both in `directory`: after a crash, the file has
/// the old content or the new. Syncs the file and the directory before it returns.
package func replaceFile(
    in directory: Int32, named name: String, with content: UnsafeRawBufferPointer,
    mode: mode_t = 0o600
) throws(Errno) {
    try renameWritten(content, in: directory, to: name, mode: mode)
    try synchronize(directory)
}

/// The same with content that is no secret.
package func replaceFile(
    in directory: Descriptor, named name: String, with content: [UInt8]
) throws(Errno) {
    try withExtendedLifetime(directory) { () throws(Errno) in
        try content.span.withUnsafeBytes { bytes throws(Errno) in
            try replaceFile(in: directory.raw, named: name, with: bytes)
        }
    }
}

/// Like ``replaceFile`` for several files, but syncs the directory once. Returns errors of those
/// that may still have their old content.
package func replaceFiles(
    in directory: Int32, _ files: [(name: String, content: [UInt8])]
) -> [String: Errno] {
    var failed: [String: Errno] = [:]
    for file in files {
        do throws(Errno) {
            try file.content.span.withUnsafeBytes { bytes throws(Errno) in
                try renameWritten(bytes, in: directory, to: file.name, mode: 0o600)
            }
        } catch { failed[file.name] = error }
    }
    do throws(Errno) { try synchronize(directory) } catch {
        for file in files { failed[file.name] = error }
    }
    return failed
}

/// Durable once the directory is synced.
private func renameWritten(
    _ content: UnsafeRawBufferPointer, in directory: Int32, to name: String, mode: mode_t
) throws(Errno) {
    try withUnfinishedFile(in: directory, for: name, content, mode: mode) {
        unfinished throws(Errno) in
        try Faults.check(.rename)
        _ = try retrying { renameat(directory, unfinished, directory, name) }
    }
}

/// Like ``replaceFile``, but overwrites the old content, which held keys, before its blocks are
/// freed.
///
/// Throws only if the new content may be missing after a crash. Returns the error that kept the old
/// content from being overwritten: it is then still in the directory as an unfinished file, or was
/// removed without being overwritten.
package func replaceFileErasingOld(
    in directory: Int32, named name: String, with content: UnsafeRawBufferPointer,
    mode: mode_t = 0o600
) throws(Errno) -> Errno? {
    // A leftover that could not be overwritten last time; a crash may have restored its name.
    if faccessat(directory, unfinishedName(of: name), F_OK, AT_SYMLINK_NOFOLLOW) == 0 {
        try synchronize(directory)
        try? eraseFile(in: directory, named: unfinishedName(of: name))
    }
    var old: Old = .none
    try withUnfinishedFile(in: directory, for: name, content, mode: mode) {
        unfinished throws(Errno) in
        try Faults.check(.rename)
        old = try exchange(in: directory, unfinished, with: name)
    }
    // Before the old content is destroyed: until then a crash may restore its name.
    try synchronize(directory)
    do throws(Errno) {
        switch old {
        case .none: return nil
        case .atUnfinishedName: try eraseFile(in: directory, named: unfinishedName(of: name))
        case .withoutName(let file):
            try overwrite(file.raw, byteCount: Int64(try status(of: file.raw).st_size))
        }
        return nil
    } catch { return error }
}

/// Where the replaced content is now.
private enum Old {
    case none
    case atUnfinishedName
    case withoutName(Descriptor)
}

/// Swaps the two names where the file system can: the old content keeps a name, so that a start
/// after a crash can still erase it.
private func exchange(
    in directory: Int32, _ unfinished: String, with name: String
) throws(Errno) -> Old {
    // Anything but a file must not be swapped: a directory would take the other name, and a link
    // has no content to overwrite.
    let isFile = (try? status(at: directory, name)).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
    if isFile {
        do throws(Errno) {
            if try exchangeNames(at: directory, unfinished, and: directory, name) {
                return .atUnfinishedName
            }
        } catch { guard error == .noEntry else { throw error } }
    }
    let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let old = isFile ? try? openFile(at: directory, name, flags) : nil
    _ = try retrying { renameat(directory, unfinished, directory, name) }
    return old.map { .withoutName($0) } ?? .none
}

/// Like ``replaceFile``, but fails with `EEXIST` if `name` exists.
package func createFile(
    in directory: Int32, named name: String, with content: UnsafeRawBufferPointer,
    mode: mode_t = 0o600
) throws(Errno) {
    try withUnfinishedFile(in: directory, for: name, content, mode: mode) {
        unfinished throws(Errno) in
        try Faults.check(.rename)
        _ = try retrying { linkat(directory, unfinished, directory, name, 0) }
        unlinkat(directory, unfinished, 0)
    }
    try synchronize(directory)
}

private func unfinishedName(of name: String) -> String { ".\(name).\(getpid()).new" }

/// Writes and syncs a temporary file beside `name`, and removes it unless `finish` renames it.
private func withUnfinishedFile(
    in directory: Int32, for name: String, _ content: UnsafeRawBufferPointer, mode: mode_t,
    _ finish: (String) throws(Errno) -> Void
) throws(Errno) {
    let unfinished = unfinishedName(of: name)
    do throws(Errno) {
        let file = try openFile(
            at: directory, unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: mode)
        try writeFully(file.raw, from: content, at: 0)
        try synchronize(file.raw)
        try finish(unfinished)
    } catch {
        unlinkat(directory, unfinished, 0)
        throw error
    }
}

/// Temporary files that a crash left behind.
package func unfinishedFiles(in directory: Int32) throws(Errno) -> [String] {
    try entries(of: directory).compactMap(\.text).filter { name in
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 4 && parts[0].isEmpty && parts[parts.count - 1] == "new"
            && Int32(parts[parts.count - 2]) != nil
    }
}

/// The whole of a small file; `EFBIG` past `maximumByteCount`.
package func readSmallFile(
    at directory: Int32 = workingDirectory, _ path: UnsafePointer<CChar>, maximumByteCount: Int
) throws(Errno) -> [UInt8] {
    let file = try openFile(at: directory, path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    return try readToEnd(of: file, maximumByteCount: maximumByteCount)
}

/// The rest of an open file or pipe; `EFBIG` if it is longer than that.
package func readToEnd(of file: Descriptor, maximumByteCount: Int) throws(Errno) -> [UInt8] {
    // In pieces: /proc files and pipes have no size or offsets, and a buffer of the maximum size
    // would stay allocated.
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)
    defer { piece.deallocate() }
    var bytes: [UInt8] = []
    while true {
        let room = min(piece.count, maximumByteCount + 1 - bytes.count)
        guard room > 0 else { throw .fileTooLarge }
        let count = try retrying { read(file.raw, piece.baseAddress, room) }
        if count == 0 { return bytes }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[..<count]))
    }
}

/// The last bytes of a file, or the whole file if it is shorter.
package func readEnd(of file: Descriptor, maximumByteCount: Int) throws(Errno) -> [UInt8] {
    let size = Int64(try status(of: file.raw).st_size)
    var bytes = [UInt8](repeating: 0, count: Int(min(size, Int64(maximumByteCount))))
    var span = bytes.mutableSpan
    let count = try span.withUnsafeMutableBytes { buffer throws(Errno) in
        try readFully(file.raw, into: buffer, at: size - Int64(buffer.count))
    }
    return Array(bytes.prefix(count))
}

/// Creates a directory and its missing parents; leaves existing ones unchanged.
package func makeDirectories(_ path: String, mode: mode_t) throws(Errno) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    var prefix = path.hasPrefix("/") ? "" : "."
    for part in parts {
        prefix += "/\(part)"
        if mkdir(prefix, mode) != 0, Errno.current != .exists {
            let error = Errno.current
            // A parent that already exists may be read-only or belong to another user.
            if access(prefix, F_OK) != 0 { throw error }
        }
    }
}

/// Gives each of two names the other's file; false where the file system cannot.
package func exchangeNames(
    at one: Int32, _ oneName: UnsafePointer<CChar>, and other: Int32,
    _ otherName: UnsafePointer<CChar>
) throws(Errno) -> Bool {
    let exchange: UInt32 = 2  // RENAME_EXCHANGE
    do throws(Errno) {
        _ = try retrying { mam_renameat2(one, oneName, other, otherName, exchange) }
        return true
    } catch {
        guard [.invalid, .notImplemented, .notSupported].contains(error) else { throw error }
        return false
    }
}
