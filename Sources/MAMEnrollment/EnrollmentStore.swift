// The records on disk: one file per account in the state directory's `enrollment/`.

internal import Glibc
package import MAMModel
internal import MAMSystem

/// Stateless: reads and writes only.
package struct EnrollmentStore: Sendable {
    private let directory: Descriptor

    private static let directoryName = AccountFile.enrollment.directory
    private static let maximumByteCount = 1 << 20

    /// True if the directory did not exist, so no account has a record yet.
    package let isNew: Bool

    package init(in stateDirectory: Int32) throws(Errno) {
        isNew = mkdirat(stateDirectory, Self.directoryName, 0o700) == 0
        if !isNew, Errno.current != .exists { throw .current }
        directory = try openFile(
            at: stateDirectory, Self.directoryName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        for name in try unfinishedFiles(in: directory.raw) { unlinkat(directory.raw, name, 0) }
    }

    /// The stored state of one account.
    package enum Found: Sendable {
        case nothing
        case damaged
        case value(JSONValue)
    }

    package func load(_ name: String) -> Found {
        do throws(Errno) {
            let bytes = try readSmallFile(
                at: directory.raw, name, maximumByteCount: Self.maximumByteCount)
            guard let value = try? JSONValue(parsing: bytes) else { return .damaged }
            return .value(value)
        } catch { return error == .noEntry ? .nothing : .damaged }
    }

    package func save(_ value: JSONValue, as name: String) throws(Errno) {
        if let error = save([(name, value)])[name] { throw error }
    }

    /// Returns the errors of those that could not be saved.
    package func save(_ values: [(name: String, value: JSONValue)]) -> [String: Errno] {
        let encoded = values.map { (name: $0.name, content: $0.value.encoded()) }
        // It would be too large to be read again.
        let tooLarge = encoded.filter { $0.content.count > Self.maximumByteCount }.map(\.name)
        let failed = replaceFiles(
            in: directory.raw, encoded.filter { !tooLarge.contains($0.name) })
        return tooLarge.reduce(into: failed) { $0[$1] = .fileTooLarge }
    }

    package func remove(_ name: String) throws(Errno) {
        guard unlinkat(directory.raw, name, 0) == 0 else {
            if Errno.current == .noEntry { return }
            throw .current
        }
        try synchronize(directory.raw)
    }
}
