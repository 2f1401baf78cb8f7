// What a backing directory says about its new children: extended attributes, by the names under which the mount answers them.

internal import MAMSystem

enum DirectoryNote: String {
    case childClass = "user.mam.class"
    case childOwner = "user.mam.owner"

    /// Nil for none, and for a directory or file system that tells no attributes. A longer value is cut at `limit` bytes.
    func read(of directory: Descriptor, limit: Int) -> [UInt8]? {
        try? withProcPath(of: directory.raw) { path throws(Errno) in
            var bytes = [UInt8](repeating: 0, count: limit)
            var span = bytes.mutableSpan
            let count = try span.withUnsafeMutableBytes { buffer throws(Errno) in
                do throws(Errno) {
                    return try extendedAttribute(path, rawValue, into: buffer)
                } catch {
                    guard error == .rangeTooSmall else { throw error }
                    return buffer.count
                }
            }
            bytes.removeLast(limit - count)
            return bytes
        }
    }

    /// Nil takes it away.
    func write(_ value: [UInt8]?, of directory: Descriptor) throws(Errno) {
        try withOwnerRights(to: directory) { path throws(Errno) in
            guard let value else {
                do throws(Errno) { try removeExtendedAttribute(path, rawValue) } catch {
                    guard error == .noData else { throw error }
                }
                return
            }
            try value.span.withUnsafeBytes { bytes throws(Errno) in
                try setExtendedAttribute(path, rawValue, to: bytes)
            }
        }
    }
}
