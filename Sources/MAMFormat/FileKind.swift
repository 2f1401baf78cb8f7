// What a backing file is, from its size and its first bytes.

/// The four things that a regular file in a backing directory can be, before its header is decoded.
package enum FileKind: Sendable, Equatable {
    /// No bytes: not yet created; the next writer becomes its owner.
    case empty
    /// None of ours: shown as it is.
    case foreign
    /// Begins like one of ours and is too short to be one; or is one but for its magic.
    case damaged
    /// Begins with a whole magic and is long enough for a header.
    case protected

    /// A cut shorter than this cannot be told from a foreign file (docs/FORMAT.md, section 1).
    package static let distinctivePrefixByteCount = 4

    /// `prefix`: the file's first 1024 bytes, or all of a shorter file.
    package static func classify(prefix: RawSpan, fileSize: Int64) -> FileKind {
        if fileSize == 0 { return .empty }
        let count = min(prefix.byteCount, fileMagic.count)
        guard count >= distinctivePrefixByteCount, FileHeader.hasMagic(prefix, count: count) else {
            return FileHeader.lacksOnlyMagic(prefix) ? .damaged : .foreign
        }
        return fileSize >= Int64(Layout.headerByteCount) ? .protected : .damaged
    }
}
