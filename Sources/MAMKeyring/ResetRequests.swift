// Requests for a new passphrase in place of a forgotten one, which the organisation answers by an
// order: docs/adr/0098-a-reset-by-two-signatures.md.

package import MAMCrypto
package import MAMFormat
package import MAMModel
internal import MAMSystem
internal import Synchronization

/// The account's keys are sealed to its public key. The next change of the keybag ends it, so that
/// no answer counts twice.
package struct StoredResetRequest: Sendable {
    /// In seconds since 1970.
    package let asked: Int64
    /// Of the keybag, when it was asked.
    let generation: UInt64
    let pair: Curve25519.KeyPair

    /// How long a request is open.
    package static let seconds: Int64 = 3 * 86_400
    /// A clock that is set back by no more does not end it.
    private static let toleratedSeconds: Int64 = 86_400

    package var publicKey: Curve25519.PublicKey { pair.publicKey }
    package var ends: Int64 { asked + Self.seconds }

    func isOpen(at now: Int64, _ keybag: Keybag) -> Bool {
        generation == keybag.generation && now < ends && now >= asked - Self.toleratedSeconds
    }
}

/// On disk, 128 bytes, integers little-endian: `magic 8 | version 2 | zero 6 | asked 8 |
/// generation 8 | public key 32 | wrapped private key 64`.
private enum Offset {
    static let version = 8
    static let zero = 10..<16
    static let asked = 16
    static let generation = 24
    static let publicKey = 32
    static let wrapped = 64..<128
    static let end = 128
}

/// `\x89MAMQ\r\n\x1a`
private let magic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x51, 0x0D, 0x0A, 0x1A]
private let version: UInt16 = 1
private let info = "mamd reset request v1"

/// The directory `resets/`: one file per account that asks. The private key is wrapped with a key
/// of the device secret's, and never leaves the machine.
struct ResetRequests: Sendable {
    private let directory: Descriptor

    init(in stateDirectory: Int32) throws(Errno) {
        directory = try openStateDirectory(in: stateDirectory, AccountFile.resetRequest.directory)
        try removeUnfinishedFiles(in: directory.raw)
    }

    /// Nil if there is none, and for a damaged one: it is asked anew.
    func load(_ account: AccountID, _ deviceSecret: SecretBytes) -> StoredResetRequest? {
        let bytes = try? readStateFile(
            in: directory.raw, "\(account.bytes)", byteCount: Offset.end)
        return bytes.flatMap { StoredResetRequest($0, account, deviceSecret) }
    }

    /// Durable on return.
    func save(
        _ request: StoredResetRequest, of account: AccountID, _ deviceSecret: SecretBytes
    ) throws(KeyringError) {
        let bytes = try request.encoded(account, deviceSecret)
        try storing { () throws(Errno) in
            try replaceFile(in: directory, named: "\(account.bytes)", with: bytes)
        }
    }

    /// Overwrites the file, durably.
    func remove(_ account: AccountID) throws(Errno) {
        try eraseFile(in: directory.raw, named: "\(account.bytes)")
        try synchronize(directory.raw)
    }

    func has(_ account: AccountID) -> Bool {
        (try? openStateFile(in: directory.raw, "\(account.bytes)")) != nil
    }
}

extension StoredResetRequest {
    fileprivate func encoded(
        _ account: AccountID, _ deviceSecret: SecretBytes
    ) throws(KeyringError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Offset.wrapped.lowerBound)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        raw.store(magic, at: 0)
        raw.store(version, at: Offset.version)
        raw.store(asked, at: Offset.asked)
        raw.store(generation, at: Offset.generation)
        publicKey.write(to: &raw, at: Offset.publicKey)
        return bytes
            + (try KeptKey.wrap(
                pair.privateKey, under: deviceSecret, account, info: info, associatedData: bytes))
    }

    /// Nil for anything that ``encoded(_:_:)`` would not return.
    fileprivate init?(_ bytes: [UInt8], _ account: AccountID, _ deviceSecret: SecretBytes) {
        guard bytes.count == Offset.end else { return nil }
        let raw = bytes.span.bytes
        guard raw.begins(with: magic), raw.isZero(Offset.zero),
            raw.integer(UInt16.self, at: Offset.version) == version,
            let key = try? KeptKey.unwrap(
                bytes[Offset.wrapped], under: deviceSecret, account, info: info,
                associatedData: Array(bytes[..<Offset.wrapped.lowerBound])),
            let pair = try? Curve25519.KeyPair(privateKey: key),
            pair.publicKey == Curve25519.PublicKey(reading: raw, at: Offset.publicKey)
        else { return nil }
        asked = raw.integer(Int64.self, at: Offset.asked)
        generation = raw.integer(UInt64.self, at: Offset.generation)
        self.pair = pair
        guard (0...Int64.max / 2).contains(asked) else { return nil }
    }
}

extension Keyring {
    /// The account's request, unless its time or a change of the keybag has ended it.
    package func resetRequest(of account: AccountID) -> StoredResetRequest? {
        guard let keybag = state.read({ $0.accounts[account]?.keybag }),
            let request = files.resets.load(account, deviceSecret),
            request.isOpen(at: clock(), keybag)
        else { return nil }
        return request
    }

    /// The account's open request, or a new one, durably.
    package func askForReset(_ account: AccountID) throws(KeyringError) -> StoredResetRequest {
        try locks.changes.withLock { _ throws(KeyringError) in
            let keybag = try state.keybag(of: account)
            // A wipe that has destroyed its files must find none later.
            guard state.read({ $0.wipes[account] == nil }) else { throw .beingWiped(account) }
            if let open = resetRequest(of: account) { return open }
            let pair: Curve25519.KeyPair
            do throws(SealError) { pair = try .random() } catch { throw .cipher }
            let request = StoredResetRequest(
                asked: max(0, clock()), generation: keybag.generation, pair: pair)
            // The key of one that is over is overwritten, not replaced.
            try storing { () throws(Errno) in try files.resets.remove(account) }
            try files.resets.save(request, of: account, deviceSecret)
            return request
        }
    }

    /// Destroys the request, and with it whatever answers it.
    package func endResetRequest(_ account: AccountID) throws(KeyringError) {
        try locks.changes.withLock { _ throws(KeyringError) in
            guard files.resets.has(account) else { return }
            try storing { () throws(Errno) in try files.resets.remove(account) }
        }
    }

    /// Destroys requests that are over; a failure is tried again at the next call.
    package func endPastResetRequests() {
        for account in accounts where files.resets.has(account) {
            locks.changes.withLock { _ in
                if resetRequest(of: account) == nil { try? files.resets.remove(account) }
            }
        }
    }

    /// Names the account's current keys: an answer must have these.
    package func keySet(of account: AccountID) -> Bytes16? {
        state.read { $0.accounts[account]?.keybag.keyIDs }?.digest
    }
}

extension KeyExport {
    /// As ``Keyring/keySet(of:)`` names them.
    package var keySet: Bytes16 { keyIDs.digest }

    /// The same keys for the holder of another key. `opened`: of this record.
    package func resealed(
        _ opened: ExportedKeys, to key: RecoveryPublicKey
    ) throws(KeyringError) -> KeyExport {
        let keybag = Keybag(
            accountID: accountID, identity: identity, uid: 0, registrationTime: 0, generation: 1,
            lock: .deviceSecret, publicKeyB: publicKeyB, keyIDs: keyIDs, wrappedKeys: [],
            others: others)
        return try Self.seal(opened.keys, of: keybag, time: time, to: key)
    }

    /// With the private half of the request that it answers.
    package func open(
        answering request: StoredResetRequest
    ) throws(KeyExportError) -> ExportedKeys { try open(recoveryKey: request.pair) }
}

extension PerClass<KeyID> {
    fileprivate var digest: Bytes16 {
        let ids = ProtectionClass.allCases.flatMap { self[$0].bytes.array }
        return Bytes16(reading: SHA256.digest(of: ids).span.bytes, at: 0)
    }
}
