// Seals an account's class keys into an export, and opens one.

package import MAMCrypto
package import MAMFormat
internal import MAMModel

extension KeyExport {
    private static let passphraseInfo = "mamd key export passphrase v1"
    private static let recoveryInfo = "mamd key export recovery v1"

    /// Under a passphrase only: guesses at the file have no limit and no delay.
    static func seal(
        _ keys: ClassKeys, of keybag: Keybag, time: Int64, passphrase: SecretBytes,
        cost: KeyDerivationCost = .standard
    ) throws(KeyringError) -> KeyExport {
        let salt = SecureRandom.bytes16()
        let key: SecretBytes
        do throws(DerivationError) {
            key = try wrappingKey(passphrase, cost, salt, keybag.accountID, for: keybag.uid)
        } catch { throw .derivation(error) }
        return try seal(
            keys, of: keybag, time: time, .passphrase(cost: cost, salt: salt), under: key)
    }

    /// To a public key: this device cannot open the export afterwards.
    static func seal(
        _ keys: ClassKeys, of keybag: Keybag, time: Int64, to recoveryKey: RecoveryPublicKey
    ) throws(KeyringError) -> KeyExport {
        let (ephemeral, key) = try KeyAgreement.start(
            with: Curve25519.PublicKey(recoveryKey), info: recoveryInfo)
        return try seal(
            keys, of: keybag, time: time, .recoveryKey(recoveryKey, ephemeral: ephemeral),
            under: key)
    }

    /// `user`: the caller's, for the fair lock.
    package func open(
        passphrase: SecretBytes, for user: UInt32 = 0
    ) throws(KeyExportError) -> ExportedKeys {
        switch lock {
        case .recoveryKey(let key, _): throw .needsRecoveryKey(key)
        case .passphrase(let cost, let salt):
            let key: SecretBytes
            do throws(DerivationError) {
                key = try Self.wrappingKey(passphrase, cost, salt, accountID, for: user)
            } catch { throw .derivation(error) }
            guard let keys = try open(under: key) else { throw .wrongPassphrase }
            return keys
        }
    }

    package func open(recoveryKey pair: Curve25519.KeyPair) throws(KeyExportError) -> ExportedKeys {
        guard case .recoveryKey(let recipient, let ephemeral) = lock else {
            throw .needsPassphrase
        }
        guard RecoveryPublicKey(pair.publicKey) == recipient else {
            throw .otherRecoveryKey(recipient)
        }
        let key: SecretBytes
        do throws(SealError) {
            key = try KeyAgreement.finish(
                pair.privateKey, of: pair.publicKey, ephemeral: ephemeral, info: Self.recoveryInfo)
        } catch { throw .notAuthentic }
        guard let keys = try open(under: key) else { throw .notAuthentic }
        return keys
    }

    /// True if ``seal(_:of:time:to:)`` made this record from these keys and this account: all that
    /// a device can check of its own records without the private key.
    func isSealed(from keybag: Keybag, keyD: SecretBytes) -> Bool {
        keyIDs == keybag.keyIDs && others == keybag.others
            && publicKeyB == keybag.publicKeyB && identity.name == keybag.identity.name
            && identity.objectID == keybag.identity.objectID
            && isMade(for: keybag.accountID, keyD: keyD)
    }

    /// True if ``seal(_:of:time:to:)`` made this record of the account, perhaps of former keys.
    func isMade(for account: AccountID, keyD: SecretBytes) -> Bool {
        accountID == account && (try? Self.check(bytes, accountID, keyD)) == storedCheck
    }

    /// True for a record of this account with keys that the keybag lacks, retired keys included:
    /// the keybag is an old one, or descends from an old one.
    func holdsMoreKeys(than keybag: Keybag, keyD: SecretBytes) -> Bool {
        let known = Set(keybag.allKeyIDs)
        return !allKeyIDs.allSatisfy(known.contains)
            && isMade(for: keybag.accountID, keyD: keyD)
    }

    private var storedCheck: Bytes16 {
        Bytes16(reading: bytes.span.bytes, at: KeyExportOffset.check)
    }

    // MARK: Keys

    private static func wrappingKey(
        _ passphrase: SecretBytes, _ cost: KeyDerivationCost, _ salt: Bytes16, _ account: AccountID,
        for user: UInt32
    ) throws(DerivationError) -> SecretBytes {
        let stretched = try cost.stretch(passphrase, salt: salt, for: user)
        return try Derivation.hkdf(input: stretched, salt: account.bytes, info: passphraseInfo)
    }

    /// Binds everything before the check value to the class keys. GCM alone would let one file open
    /// to two sets of keys, under two passphrases.
    private static func check(
        _ record: [UInt8], _ account: AccountID, _ keyD: SecretBytes
    ) throws(DerivationError) -> Bytes16 {
        let value = try Derivation.hkdf(
            input: keyD, salt: account.bytes, infoBytes: Array(record[..<KeyExportOffset.check]))
        return value.withBytes { Bytes16(reading: $0.bytes, at: 0) }
    }

    private static func seal(
        _ keys: ClassKeys, of keybag: Keybag, time: Int64, _ lock: Lock, under key: SecretBytes
    ) throws(KeyringError) -> KeyExport {
        var record = head(keybag, time, lock)
        let joined = joinedKeys(keys)
        do throws(SealError) {
            try withParts(of: &record) { associated, nonce, sealed, tag throws(SealError) in
                try BlockCipher(key: key).withSession { session throws(SealError) in
                    try joined.withBytes { plain throws(SealError) in
                        // A lock may have erased one of them.
                        guard plain.count == KeyExportOffset.sealedKeys.count else {
                            throw .failure
                        }
                        try session.seal(
                            plain, nonce: nonce, associatedData: associated, into: sealed, tag: tag)
                    }
                }
            }
        } catch { throw .cipher }
        let check: Bytes16
        do throws(DerivationError) {
            check = try self.check(record, keybag.accountID, keys.d)
        } catch { throw .derivation(error) }
        var span = record.mutableSpan
        var raw = span.mutableBytes
        check.write(to: &raw, at: KeyExportOffset.check)
        let checksum = raw.byteCount - 4
        raw.store(Checksum.crc32(raw.bytes, count: checksum), at: checksum)
        return KeyExport(
            accountID: keybag.accountID, identity: keybag.identity, time: time, lock: lock,
            publicKeyB: keybag.publicKeyB, keyIDs: keybag.keyIDs, others: keybag.others,
            bytes: record)
    }

    /// Nil if the tag does not verify.
    private func open(under key: SecretBytes) throws(KeyExportError) -> ExportedKeys? {
        var record = bytes
        let joined = SecretBytes(count: KeyExportOffset.sealedKeys.count)
        do throws(SealError) {
            try Self.withParts(of: &record) { associated, nonce, sealed, tag throws(SealError) in
                try joined.withMutableBytes { plain throws(SealError) in
                    guard let into = plain.baseAddress else { throw .failure }
                    try BlockCipher(key: key).withSession { session throws(SealError) in
                        try session.open(
                            .init(start: sealed, count: plain.count), nonce: nonce,
                            associatedData: associated, tag: tag, into: into)
                    }
                }
            }
        } catch {
            guard error == .notAuthentic else { throw .derivation(.failure) }
            return nil
        }
        let keys = Self.splitKeys(joined)
        let pair = try? Curve25519.KeyPair(privateKey: keys.b)
        guard pair?.publicKey == publicKeyB,
            (try? Self.check(bytes, accountID, keys.d)) == storedCheck
        else { throw .notAuthentic }
        guard let opened = try? others.open(under: keys, accountID) else { throw .notAuthentic }
        return ExportedKeys(keys: keys, others: opened)
    }
}

/// The class keys of an opened export; opening proves all of its fields.
package struct ExportedKeys: Sendable {
    let keys: ClassKeys
    let others: [OtherKeys.Key]
}

extension Curve25519.PublicKey {
    package init(_ key: RecoveryPublicKey) { self.init(reading: key.bytes.span.bytes, at: 0) }
}

extension RecoveryPublicKey {
    package init(_ key: Curve25519.PublicKey) {
        self = key.withBytes { RecoveryPublicKey(reading: $0.bytes, at: 0) }
    }
}
