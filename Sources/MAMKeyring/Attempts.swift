// Counts wrong passphrases; the counts survive restarts.

internal import MAMModel
internal import MAMSystem
internal import Synchronization

/// The directory `attempts/`: one file per account with wrong passphrases since its last right one.
///
/// Memory mirrors the files. If a file cannot be written, memory alone delays until the next
/// restart.
final class Attempts: Sendable {
    private let directory: Descriptor
    private let clock: @Sendable () -> Int64
    private let report: @Sendable (KeyringFinding) -> Void
    private let records: Mutex<[AccountID: AttemptRecord]>
    /// Records of a newer mamd, which are left unchanged.
    private let newer: Mutex<[AccountID: NewerRecord]>

    init(
        in stateDirectory: Int32, clock: @escaping @Sendable () -> Int64,
        report: @escaping @Sendable (KeyringFinding) -> Void
    ) throws(Errno) {
        directory = try openStateDirectory(
            in: stateDirectory, AccountFile.wrongPassphrases.directory)
        try removeUnfinishedFiles(in: directory.raw)
        self.clock = clock
        self.report = report
        records = Mutex([:])
        newer = Mutex([:])
        for name in try entries(of: directory.raw).compactMap(\.text) {
            guard let id = Bytes16(hex: name) else { continue }
            load(AccountID(id), fileName: name)
        }
    }

    /// The seconds until the account's next try; 0: now.
    func remaining(_ account: AccountID) -> Int64 {
        let now = clock()
        return records.withLock { $0[account]?.remaining(at: now) ?? 0 }
    }

    func newer(_ account: AccountID) -> NewerRecord? { newer.withLock { $0[account] } }

    func failures(_ account: AccountID) -> Int {
        records.withLock { Int($0[account]?.seenFailures ?? 0) }
    }

    /// True if the delay is for a damaged record, with no wrong passphrase since.
    func waitsForDamage(_ account: AccountID) -> Bool {
        records.withLock { $0[account]?.seenFailures == 0 }
    }

    /// Like ``remaining(_:)``, before a try. If the clock was set back, the delay starts again from
    /// now; otherwise a failure at a wrong, later time would lock the account until then.
    func remainingForTry(_ account: AccountID) -> Int64 {
        let now = clock()
        let (remaining, restarted): (Int64, AttemptRecord?) = records.withLock { records in
            guard var record = records[account] else { return (0, nil) }
            guard now < record.lastFailure else { return (record.remaining(at: now), nil) }
            record.lastFailure = now
            records[account] = record
            return (record.delay, record)
        }
        if let restarted { write(restarted, of: account) }
        return remaining
    }

    /// Counts a wrong passphrase, durably.
    func recordFailure(_ account: AccountID, fingerprint: Bytes16) {
        let now = clock()
        let record = records.withLock { records in
            var record =
                records[account]
                ?? AttemptRecord(failures: 0, lastFailure: now, fingerprint: .zero)
            record.count(fingerprint, at: now)
            records[account] = record
            return record
        }
        write(record, of: account)
    }

    /// Resets the count after a right passphrase.
    func clear(_ account: AccountID) {
        let had = records.withLock { $0.removeValue(forKey: account) != nil }
        guard had else { return }
        do throws(Errno) {
            try removeFile(in: directory.raw, named: "\(account.bytes)")
        } catch { report(.attemptsNotWritten(account, error)) }
    }

    /// Removes an account that is being wiped, durably.
    func remove(_ account: AccountID) throws(Errno) {
        records.withLock { _ = $0.removeValue(forKey: account) }
        newer.withLock { _ = $0.removeValue(forKey: account) }
        try removeFile(in: directory.raw, named: "\(account.bytes)")
        try synchronize(directory.raw)
    }

    private func load(_ account: AccountID, fileName: String) {
        let bytes = try? readStateFile(
            in: directory.raw, fileName, byteCount: AttemptRecord.byteCount)
        if let bytes, let record = AttemptRecord(decoding: bytes.span.bytes) {
            records.withLock { $0[account] = record }
            return
        }
        if let version = bytes.flatMap({ AttemptRecord.newerVersion(in: $0.span.bytes) }) {
            let record = NewerRecord(fileName: "attempts/\(fileName)", version: version)
            newer.withLock { $0[account] = record }
            return report(.attemptsNewer(record))
        }
        // Damaging the file must not gain tries. Written back, so that the hour ends.
        report(.attemptsDamaged(account))
        let record = AttemptRecord.worst(at: clock())
        records.withLock { $0[account] = record }
        write(record, of: account)
    }

    private func write(_ record: AttemptRecord, of account: AccountID) {
        do throws(Errno) {
            try replaceFile(in: directory, named: "\(account.bytes)", with: record.encoded)
        } catch { report(.attemptsNotWritten(account, error)) }
    }
}
