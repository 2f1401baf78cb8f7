// Where a command's program is.

internal import Glibc
internal import MAMModel
internal import MAMSystem

/// The absolute path of the file that execvp(3) finds, whose links are not followed; nil if there
/// is none.
func place(ofProgram name: ByteString) -> ByteString? {
    if name.bytes.contains(UInt8(ascii: "/")) { return absolute(name) }
    let directories = getenv("PATH").map { ByteString(cString: $0).bytes } ?? []
    return directories.split(separator: UInt8(ascii: ":"))
        .map { ByteString(Array($0)).appending(name) }
        .first { access($0.cString, X_OK) == 0 }
        .flatMap(absolute)
}

private func absolute(_ path: ByteString) -> ByteString? {
    if path.bytes.first == UInt8(ascii: "/") { return path }
    return ByteString(".").resolved?.appending(path)
}
