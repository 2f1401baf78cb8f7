// The rules under which each account's files were last gone through, and which are now.

internal import Glibc
internal import MAMFormat
package import MAMModel
internal import MAMStore
internal import MAMSystem
internal import Synchronization

/// Stored as `classes/ACCOUNTID` in the state directory. They save a walk through a large tree at
/// every first unlock.
package final class ClassRecords: Sendable {
    private let directory: Descriptor
    /// The accounts whose files a thread is updating; true if an unlock meanwhile requires another
    /// pass.
    private let updating = Mutex<[AccountID: Bool]>([:])

    init(in stateDirectory: Int32) throws(Errno) {
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

    /// False if a thread is updating the account's files already: another pass follows.
    package func begin(_ account: AccountID) -> Bool {
        updating.withLock { updating in
            let isRunning = updating[account] != nil
            updating[account] = isRunning
            return !isRunning
        }
    }

    /// True if another pass is required.
    package func end(_ account: AccountID) -> Bool {
        updating.withLock { $0.removeValue(forKey: account) } ?? false
    }

    /// The pass under way is complete, unless a file was found meanwhile that it may have missed.
    package func complete(_ account: AccountID, _ rules: String) throws(Errno) {
        try updating.withLock { updating throws(Errno) in
            if updating[account] != true { try record(account, rules) }
        }
    }

    /// The last pass missed files, and so may the one under way.
    package func forget(_ account: AccountID) throws(Errno) {
        try updating.withLock { updating throws(Errno) in
            if updating[account] != nil { updating[account] = true }
            try remove(account)
        }
    }

    package func record(_ account: AccountID, _ rules: String) throws(Errno) {
        try replaceFile(in: directory, named: "\(account.bytes)", with: Array(rules.utf8))
    }
}
