// The class that a backing directory asks for its new children: an extended attribute of one letter, by the
// name under which the mount answers it.

internal import MAMModel
internal import MAMSystem

/// What is known of it without asking the file system again.
enum ChildClass {
    case unread
    case read(ProtectionClass?)

    private static let attribute = "user.mam.class"

    /// Nil for none, and for a directory or file system that tells no attributes.
    static func read(of directory: Descriptor) -> ProtectionClass? {
        switch readValue(of: directory) {
        case nil: nil
        // What cannot be understood may have been meant to be strict.
        case .some(let found): found ?? .complete
        }
    }

    /// False if there is a value that makes no sense.
    static func isValid(of directory: Descriptor) -> Bool { readValue(of: directory) != .some(nil) }

    /// Nil for none; inside it nil for one that cannot be understood.
    private static func readValue(of directory: Descriptor) -> ProtectionClass?? {
        var letters: InlineArray<2, UInt8> = .init(repeating: 0)
        let count: Int? = withUnsafeMutableBytes(of: &letters) { buffer in
            try? withProcPath(of: directory.raw) { path throws(Errno) in
                do throws(Errno) {
                    return try extendedAttribute(path, attribute, into: buffer)
                } catch {
                    guard error == .rangeTooSmall else { throw error }
                    return buffer.count
                }
            }
        }
        guard let count else { return nil }
        return .some(count == 1 ? ProtectionClass(String(UnicodeScalar(letters[0]))) : nil)
    }

    /// Nil takes it away.
    static func write(
        _ asked: ProtectionClass?, of directory: Descriptor
    ) throws(Errno) {
        try withOwnerRights(to: directory) { path throws(Errno) in
            guard let asked else {
                do throws(Errno) { try removeExtendedAttribute(path, attribute) } catch {
                    guard error == .noData else { throw error }
                }
                return
            }
            try Array(asked.letter.utf8).span.withUnsafeBytes { letter throws(Errno) in
                try setExtendedAttribute(path, attribute, to: letter)
            }
        }
    }
}
