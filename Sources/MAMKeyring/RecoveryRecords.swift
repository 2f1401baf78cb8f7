// Recovery records on disk: an account's keys, sealed to each recovery key of its policies.

internal import Glibc
package import MAMFormat
package import MAMModel
package import MAMSystem
internal import Synchronization

/// The directory `recovery/` in `.mamd`, so that it travels with the files.
package struct RecoveryRecords: Sendable {
    private static let directoryName = AccountFile.recoveryRecord.directory
    private static let suffix = ".keys"
    private let place: Descriptor

    /// `place`: the workspace's own directory, `.mamd`.
    package init(in place: Descriptor) { self.place = place }

    /// A file with the name of one of the account's records.
    package struct Entry: Sendable {
        package let name: String
        /// Nil if it is unreadable.
        package let record: KeyExport?
        /// A newer mamd wrote it.
        package let isNewer: Bool

        package var recoveryKey: RecoveryPublicKey? {
            if case .recoveryKey(let key, _) = record?.lock { key } else { nil }
        }
    }

    package func entries(of account: AccountID) throws(Errno) -> [Entry] {
        guard let directory = try existingDirectory() else { return [] }
        let names = try names(of: account, in: directory, atMost: Self.limit)
        return names.filter { !$0.hasPrefix(".") }.map { name in
            let bytes = try? readStateFile(
                in: directory.raw, name, byteCount: KeyExport.maximumByteCount)
            return Entry(name, bytes ?? [])
        }
    }

    package static func name(_ account: AccountID, _ key: RecoveryPublicKey) -> String {
        "\(account.bytes).\(key.shortName)\(suffix)"
    }

    /// Overwrites the old content. Returns the error if that failed.
    package func write(_ record: KeyExport, as name: String) throws(Errno) -> Errno? {
        let directory = try openStateDirectory(in: place.raw, Self.directoryName)
        return try record.bytes.span.withUnsafeBytes { bytes throws(Errno) in
            try replaceFileErasingOld(in: directory.raw, named: name, with: bytes)
        }
    }

    /// Durable on return.
    package func remove(_ name: String) throws(Errno) {
        guard let directory = try existingDirectory() else { return }
        try eraseFile(in: directory.raw, named: name)
        try synchronize(directory.raw)
    }

    /// Removes all of the account's records and leftovers of interrupted changes; a failure with
    /// one does not keep the others.
    package func removeAll(of account: AccountID) throws(Errno) {
        guard let directory = try existingDirectory() else { return }
        var failure: Errno?
        for name in try names(of: account, in: directory) {
            do throws(Errno) { try eraseFile(in: directory.raw, named: name) } catch {
                failure = failure ?? error
            }
        }
        try synchronize(directory.raw)
        if let failure { throw failure }
    }

    /// Leaves records of unknown accounts alone: they came with a copy from another machine.
    private func names(
        of account: AccountID, in directory: Descriptor, atMost limit: Int = .max
    ) throws(Errno) -> [String] {
        let beginnings = ["\(account.bytes).", ".\(account.bytes)."]
        var names: [String] = []
        // A program that can write the backing directory may have put any number of files there,
        // and a start waits for this.
        try forEachEntry(of: directory.raw) { name in
            guard beginnings.contains(where: { strncmp(name, $0, $0.utf8.count) == 0 }) else {
                return true
            }
            if let name = ByteString(cString: name).text { names.append(name) }
            return names.count < limit
        }
        return names
    }

    /// The limit per account for listing: policies name only a few recovery keys.
    private static let limit = 256

    private func existingDirectory() throws(Errno) -> Descriptor? {
        do throws(Errno) {
            return try openFile(
                at: place.raw, Self.directoryName, openDirectoryFlags)
        } catch {
            guard error == .noEntry else { throw error }
            return nil
        }
    }
}

extension RecoveryRecords.Entry {
    fileprivate init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        do throws(KeyExportError) {
            (record, isNewer) = (try KeyExport.decode(bytes), false)
        } catch {
            record = nil
            isNewer = if case .newerVersion = error { true } else { false }
        }
    }
}

/// One workspace's recovery records.
package final class RecoveryPlace: Sendable {
    private let records = Mutex<RecoveryRecords?>(nil)

    package func use(_ records: RecoveryRecords) { self.records.withLock { $0 = records } }

    /// Nil on a read-only workspace. Taken alone, and held during changes of the records.
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (RecoveryRecords?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try records.withLock { records throws(Failure) in try body(records) }
    }
}
