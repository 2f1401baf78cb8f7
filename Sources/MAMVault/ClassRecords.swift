// The rules under which each account's files were last checked.

internal import Glibc
internal import MAMFormat
package import MAMModel
internal import MAMStore
internal import MAMSystem

/// Stored as `classes/ACCOUNTID` in the state directory. They save a walk through a large tree at
/// every first unlock.
package struct ClassRecords: Sendable {
    private let directory: Descriptor

    package init(in stateDirectory: Int32) throws(Errno) {
        let name = AccountFile.classes.directory
        if mkdirat(stateDirectory, name, 0o700) != 0, Errno.current != .exists { throw .current }
        directory = try openFile(at: stateDirectory, name, O_RDONLY | O_DIRECTORY)
    }

    package func isCurrent(_ account: AccountID, _ rules: String) -> Bool {
        let name = account.bytes.description
        let found = try? readSmallFile(at: directory.raw, name, maximumByteCount: 256)
        return found == Array(rules.utf8)
    }

    /// For an account that is being wiped. If a crash restores the file, it names no one.
    package func remove(_ account: AccountID) throws(Errno) {
        try removeFile(in: directory.raw, named: account.bytes.description)
    }

    package func record(_ account: AccountID, _ rules: String) throws(Errno) {
        try Array(rules.utf8).span.withUnsafeBytes { bytes throws(Errno) in
            try replaceFile(in: directory.raw, named: account.bytes.description, with: bytes)
        }
    }
}
