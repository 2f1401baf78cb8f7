// Classifies a backing file by its size and first bytes.

/// What a regular file in a backing directory can be, before its header is decoded.
package enum FileKind: Sendable, Equatable {
    /// No bytes: not yet begun; the next writer becomes its owner.
    case empty
    /// Not one of mamd's: shown as it is.
    case foreign
    /// Begins like a protected file but is too short, or is intact except for its magic.
    case damaged
    /// Begins with the whole magic and is long enough for a header.
    case protected

    /// A file truncated below this cannot be told from a foreign one (docs/FORMAT.md, section 1).
    package static let distinctivePrefixByteCount = 4

    /// `prefix`: the file's first 1024 bytes, or all of a shorter file.
    package static func classify(prefix: RawSpan, fileSize: Int64) -> FileKind {
        if fileSize == 0 { return .empty }
        let count = min(prefix.byteCount, fileMagic.count)
        guard count >= distinctivePrefixByteCount, prefix.begins(with: fileMagic, count: count)
        else {
            return FileHeader.lacksOnlyMagic(prefix) ? .damaged : .foreign
        }
        return fileSize >= Int64(Layout.headerByteCount) ? .protected : .damaged
    }
}
