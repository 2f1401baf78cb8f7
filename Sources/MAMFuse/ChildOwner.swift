// The owner of what is made in a backing directory by programs that act for nobody in particular: a name, or an object id.

internal import MAMModel
internal import MAMSystem

/// What is known of it without asking the file system again.
enum ChildOwner {
    case unread
    case read(Identity?)

    /// Nil for none, and for one that cannot be understood.
    static func read(of directory: Descriptor) -> Identity? { readValue(of: directory) ?? nil }

    /// False if there is a value that makes no sense.
    static func isValid(of directory: Descriptor) -> Bool {
        if case .some(nil) = readValue(of: directory) { false } else { true }
    }

    /// Nil for none; inside it nil for one that cannot be understood.
    private static func readValue(of directory: Descriptor) -> Identity?? {
        guard
            let bytes = DirectoryNote.childOwner.read(
                of: directory, limit: Identity.maximumNameByteCount + 1)
        else { return nil }
        let owner = String(validating: bytes, as: UTF8.self).flatMap { try? Identity(name: $0) }
        return .some(owner?.isNobody == true ? nil : owner)
    }

    /// Nil takes it away.
    static func write(_ owner: Identity?, of directory: Descriptor) throws(Errno) {
        try DirectoryNote.childOwner.write(
            owner.map { Array($0.description.utf8) }, of: directory)
    }
}
