// Defaults of a backing directory for new children: extended attributes, under the names that the
// mount shows. A mark after the value proves that the daemon wrote it (docs/FORMAT.md, section 9).

package import MAMModel
package import MAMSystem

package enum DirectoryNote: String {
    case childClass = "user.mam.class"
    case childOwner = "user.mam.owner"

    /// Longer than any valid value.
    private static let valueLimit = Identity.maximumNameByteCount + 1
    private static let limit = valueLimit + 1 + Marks.byteCount

    /// Nil if there is none, or attributes are unsupported. Truncates longer values.
    package func read(of directory: Descriptor, _ marks: Marks) -> Note<[UInt8]>? {
        guard let bytes = readBytes(of: directory) else { return nil }
        let valueCount = bytes.count - Marks.byteCount - 1
        // Values contain no zero byte.
        guard valueCount >= 0, bytes[valueCount] == 0 else {
            return Note(value: bytes, isProved: false)
        }
        let value = Array(bytes[..<valueCount])
        guard let place = try? MarkedInode(directory) else {
            return Note(value: value, isProved: false)
        }
        return Note(
            value: value,
            isProved: marks.isRight(bytes[(valueCount + 1)...], kind, of: value, at: place))
    }

    private var kind: MarkKind {
        switch self {
        case .childClass: .childClass
        case .childOwner: .childOwner
        }
    }

    private func readBytes(of directory: Descriptor) -> [UInt8]? {
        try? withProcPath(of: directory.raw) { path throws(Errno) in
            var bytes = [UInt8](repeating: 0, count: Self.limit)
            var span = bytes.mutableSpan
            let count = try span.withUnsafeMutableBytes { buffer throws(Errno) in
                do throws(Errno) {
                    return try extendedAttribute(path, rawValue, into: buffer)
                } catch {
                    guard error == .rangeTooSmall else { throw error }
                    return buffer.count
                }
            }
            bytes.removeLast(Self.limit - count)
            return bytes
        }
    }

    /// Nil removes it. `isProved`: false for a value that the daemon only copies.
    package func write(
        _ value: [UInt8]?, isProved: Bool = true, of directory: Descriptor, _ marks: Marks
    ) throws(Errno) {
        guard let value else { return try remove(from: directory) }
        var bytes = value
        if isProved, let mark = marks.mark(kind, of: value, at: try MarkedInode(directory)) {
            bytes += [0] + mark
        }
        try withOwnerRights(to: directory) { path throws(Errno) in
            try bytes.span.withUnsafeBytes { bytes throws(Errno) in
                try setExtendedAttribute(path, rawValue, to: bytes)
            }
        }
    }

    private func remove(from directory: Descriptor) throws(Errno) {
        try withOwnerRights(to: directory) { path throws(Errno) in
            do throws(Errno) { try removeExtendedAttribute(path, rawValue) } catch {
                guard error == .noData else { throw error }
            }
        }
    }
}

/// A note's value, and whether this daemon wrote it on this directory.
package struct Note<Value> {
    package let value: Value
    package let isProved: Bool

    package init(value: Value, isProved: Bool) {
        self.value = value
        self.isProved = isProved
    }

    package func map<Other>(_ change: (Value) -> Other) -> Note<Other> {
        Note<Other>(value: change(value), isProved: isProved)
    }
}

extension Note: Sendable where Value: Sendable {}

/// A cached note.
package enum KnownNote<Value> {
    case unread
    /// Nil for none.
    case read(Note<Value>?)
}

package enum ChildClass {
    /// Nil if there is none. The note's value is nil if it is invalid.
    package static func read(of directory: Descriptor, _ marks: Marks) -> Note<ProtectionClass?>? {
        DirectoryNote.childClass.read(of: directory, marks)?.map { letters in
            letters.count == 1 ? ProtectionClass(String(UnicodeScalar(letters[0]))) : nil
        }
    }

    /// Nil removes it.
    package static func write(
        _ asked: Note<ProtectionClass>?, of directory: Descriptor, _ marks: Marks
    ) throws(Errno) {
        try DirectoryNote.childClass.write(
            asked.map { Array($0.value.letter.utf8) }, isProved: asked?.isProved ?? true,
            of: directory, marks)
    }
}

package enum ChildOwner {
    /// Nil if there is none. The note's value is nil if it is invalid.
    package static func read(of directory: Descriptor, _ marks: Marks) -> Note<Identity?>? {
        DirectoryNote.childOwner.read(of: directory, marks)?.map { bytes in
            let owner = String(validating: bytes, as: UTF8.self)
                .flatMap { try? Identity(name: $0) }
            return owner?.isNobody == true ? nil : owner
        }
    }

    /// Nil removes it.
    package static func write(
        _ owner: Note<Identity>?, of directory: Descriptor, _ marks: Marks
    ) throws(Errno) {
        try DirectoryNote.childOwner.write(
            owner.map { Array($0.value.description.utf8) }, isProved: owner?.isProved ?? true,
            of: directory, marks)
    }
}
