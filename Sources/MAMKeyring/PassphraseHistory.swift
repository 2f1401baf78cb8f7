// An account's former passphrases, for policies that forbid their reuse.

internal import Glibc
internal import MAMCrypto
internal import MAMModel
internal import MAMSystem

/// Fingerprints under one salt, newest first: one derivation compares a passphrase with all of
/// them. Like those of wrong passphrases, they reveal nothing without the device secret.
struct PastPassphrases: Equatable {
    /// The most that a policy can require.
    static let maximumCount = 24

    let derivation: DerivationParameters
    private(set) var fingerprints: [Bytes16] = []

    init(_ derivation: DerivationParameters) { self.derivation = derivation }

    /// Adds the newest one.
    mutating func add(_ fingerprint: Bytes16) {
        fingerprints = [fingerprint] + fingerprints.filter { $0 != fingerprint }
        fingerprints = Array(fingerprints.prefix(Self.maximumCount))
    }

    var json: JSONValue {
        [
            "salt": .string("\(derivation.salt)"), "passes": JSONValue(derivation.cost.passes),
            "memoryByteCount": JSONValue(derivation.cost.memoryByteCount),
            "fingerprints": .array(fingerprints.map { .string("\($0)") }),
        ]
    }

    /// Nil for anything that ``json`` would not return.
    init?(_ json: JSONValue) {
        guard let members = json.object,
            let salt = members["salt"]?.text.flatMap(Bytes16.init(hex:)),
            let passes = members["passes"]?.integer.flatMap({ UInt32(exactly: $0) }),
            let memory = members["memoryByteCount"]?.integer.flatMap({ UInt64(exactly: $0) }),
            let cost = KeyDerivationCost(passes: passes, memoryByteCount: memory),
            let texts = members["fingerprints"]?.array, texts.count <= Self.maximumCount
        else { return nil }
        let all = texts.map { $0.text.flatMap(Bytes16.init(hex:)) }
        guard !all.contains(nil) else { return nil }
        derivation = DerivationParameters(cost: cost, salt: salt)
        fingerprints = all.compactMap(\.self)
    }
}

/// The directory `passphrases/`: one file per account whose policy requires it.
struct PassphraseHistory: Sendable {
    private let directory: Descriptor

    private static let maximumByteCount = 4096

    init(in stateDirectory: Int32) throws(Errno) {
        directory = try openStateDirectory(
            in: stateDirectory, AccountFile.pastPassphrases.directory)
        try removeUnfinishedFiles(in: directory.raw)
    }

    /// Nil if there is no history. Reports and discards a damaged one.
    func load(_ account: AccountID, report: (KeyringFinding) -> Void) -> PastPassphrases? {
        do throws(Errno) {
            let bytes = try readStateFile(
                in: directory.raw, "\(account.bytes)", byteCount: Self.maximumByteCount)
            if let past = (try? JSONValue(parsing: bytes)).flatMap({ PastPassphrases($0) }) {
                return past
            }
        } catch {
            if error == .noEntry { return nil }
        }
        report(.historyDamaged(account))
        return nil
    }

    func save(_ past: PastPassphrases, of account: AccountID) throws(Errno) {
        try replaceFile(in: directory, named: "\(account.bytes)", with: past.json.encoded())
    }

    /// Removes the history of an account that is being wiped, durably.
    func remove(_ account: AccountID) throws(Errno) {
        try removeFile(in: directory.raw, named: "\(account.bytes)")
        try synchronize(directory.raw)
    }
}
