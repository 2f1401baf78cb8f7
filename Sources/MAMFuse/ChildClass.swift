// The class that a backing directory asks for its new children: one letter.

internal import MAMModel
internal import MAMSystem

/// What is known of it without asking the file system again.
enum ChildClass {
    case unread
    case read(ProtectionClass?)

    /// Nil for none.
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
        guard let letters = DirectoryNote.childClass.read(of: directory, limit: 2) else {
            return nil
        }
        return .some(
            letters.count == 1 ? ProtectionClass(String(UnicodeScalar(letters[0]))) : nil)
    }

    /// Nil takes it away.
    static func write(
        _ asked: ProtectionClass?, of directory: Descriptor
    ) throws(Errno) {
        try DirectoryNote.childClass.write(asked.map { Array($0.letter.utf8) }, of: directory)
    }
}
