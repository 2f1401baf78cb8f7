// Wipe decisions, stored until they are carried out.

internal import Glibc
internal import MAMModel
internal import MAMSystem

/// The directory `wipes/`: one file per account that is being wiped.
struct WipeStore: Sendable {
    static let directoryName = AccountFile.wipe.directory
    /// What a full disk has for a record.
    private static let spareName = "spare"
    private let directory: Descriptor

    init(in stateDirectory: Int32) throws(Errno) {
        directory = try openStateDirectory(in: stateDirectory, Self.directoryName)
        try removeUnfinishedFiles(in: directory.raw)
    }

    /// The stored state of one account.
    enum Entry: Sendable {
        case decided(WipeIntent)
        /// There is a record, but it does not say which keys are meant.
        case damaged(AccountID)
        case newer(AccountID, NewerRecord)

        var account: AccountID {
            switch self {
            case .decided(let intent): intent.account
            case .damaged(let account), .newer(let account, _): account
            }
        }
    }

    func load() throws(Errno) -> [Entry] {
        try entries(of: directory.raw).compactMap(\.text).sorted().compactMap { name in
            guard let id = Bytes16(hex: name), id.description == name else { return nil }
            return read(name, of: AccountID(id))
        }
    }

    private func read(_ name: String, of account: AccountID) -> Entry {
        let bytes = try? readStateFile(
            in: directory.raw, name, byteCount: WipeIntent.maximumByteCount)
        guard let bytes else { return .damaged(account) }
        if let version = WipeIntent.newerVersion(in: bytes.span.bytes) {
            let fileName = "\(Self.directoryName)/\(name)"
            return .newer(account, NewerRecord(fileName: fileName, version: version))
        }
        guard let intent = WipeIntent(decoding: bytes.span.bytes), intent.account == account else {
            return .damaged(account)
        }
        return .decided(intent)
    }

    /// Why no account with this id can be added; nil if no wipe record is in the way.
    func objection(to account: AccountID) throws(Errno) -> KeyringError? {
        switch try load().first(where: { $0.account == account }) {
        case nil: nil
        case .newer(_, let record)?: .leftNewer(record)
        case .decided?, .damaged?:
            .leftOver(fileName: "\(Self.directoryName)/\(Self.fileName(account))")
        }
    }

    /// Throws only if there is no record, not even after a crash: then nothing is decided. A record
    /// that can neither be made durable nor removed counts, and is reported.
    func save(_ intent: WipeIntent, report: (KeyringFinding) -> Void) throws(Errno) {
        let name = Self.fileName(intent.account)
        do throws(Errno) {
            try intent.encoded.span.withUnsafeBytes { bytes throws(Errno) in
                try replaceFile(
                    in: directory.raw, named: name, with: bytes, orInPlaceOf: Self.spareName)
            }
        } catch {
            guard takeBack(name) else {
                return report(.notDurable(fileName: "\(Self.directoryName)/\(name)", error))
            }
            throw error
        }
    }

    /// Undoes a rename that may have happened before the sync of the directory failed. False if the
    /// record may exist, or reappear after a crash.
    private func takeBack(_ name: String) -> Bool {
        do throws(Errno) { _ = try status(at: directory.raw, name) } catch {
            if error == .noEntry { return true }
        }
        do throws(Errno) {
            try remove(name)
            return true
        } catch { return false }
    }

    /// Ends a wipe.
    func remove(_ account: AccountID) throws(Errno) {
        try remove(Self.fileName(account))
        takeSpareRoom()
    }

    /// So that a wipe can be decided on a full disk. If it is full already, the next start tries
    /// again.
    func takeSpareRoom() { try? takeSpare(in: directory.raw, named: Self.spareName) }

    private func remove(_ name: String) throws(Errno) {
        try removeFile(in: directory.raw, named: name)
        try synchronize(directory.raw)
    }

    private static func fileName(_ account: AccountID) -> String { "\(account.bytes)" }
}
