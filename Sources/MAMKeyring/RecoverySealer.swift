// Seals an account's keys to recovery keys.

package import MAMFormat
package import MAMModel
internal import MAMSystem

/// Seals loaded keys to recovery keys, and compares records with accounts.
package struct RecoverySealer: Sendable {
    let sealer: KeybagSealer
    let state: SharedState<AccountTable>
    let clock: @Sendable () -> Int64
    package let records = RecoveryPlace()

    /// The account's keys, sealed to a recovery key; nil unless all are loaded.
    package func sealKeys(
        of account: AccountID, to key: RecoveryPublicKey
    ) throws(KeyringError) -> KeyExport? {
        guard let entry = state.read({ $0.accounts[account] }), let keyA = entry.keyA,
            let keyB = entry.privateKeyB, let keyC = entry.keyC
        else { return nil }
        let opened = AccountKeys(a: keyA, b: keyB, c: keyC, names: entry.keybag.keyIDs)
        return try KeyExport.seal(
            try sealer.allKeys(of: entry.keybag, opened), of: entry.keybag, time: max(0, clock()),
            to: key)
    }

    /// True if this device made the record from the account's current state.
    package func isCurrent(_ record: KeyExport, of account: AccountID) -> Bool {
        guard let entry = state.read({ $0.accounts[account] }) else { return false }
        return record.isSealed(from: entry.keybag, keyD: entry.keyD)
    }

    /// True if this device made the record, perhaps of former keys of the account.
    package func isOwn(_ record: KeyExport, of account: AccountID) -> Bool {
        guard let entry = state.read({ $0.accounts[account] }) else { return false }
        return record.isMade(for: account, keyD: entry.keyD)
    }

    /// That the record opens the account's keys; nil unless ``isCurrent(_:of:)``. It proves the
    /// keys that are loaded: see ``RecoveryProof``.
    package func proof(
        of record: KeyExport, of account: AccountID, for organization: Bytes16
    ) -> [UInt8]? {
        guard isCurrent(record, of: account),
            let entry = state.read({ $0.accounts[account] })
        else { return nil }
        return RecoveryProof.make(of: record, for: organization) { entry.key($0) }
    }

    /// False if the account has got other keys since, with its first passphrase or by joining an
    /// export, and for another account's. Of an unopened export this is what it says of itself.
    package func holdsAllKeys(_ export: KeyExport, of account: AccountID) -> Bool {
        guard export.accountID == account, let entry = state.read({ $0.accounts[account] }) else {
            return false
        }
        return Set(export.allKeyIDs).isSuperset(of: entry.keybag.allKeyIDs)
    }

    /// True if the record was sealed with this account's keys and contains some that this device
    /// lacks.
    package func holdsMoreKeys(_ record: KeyExport, of account: AccountID) -> Bool {
        guard let entry = state.read({ $0.accounts[account] }) else { return false }
        return record.holdsMoreKeys(than: entry.keybag, keyD: entry.keyD)
    }
}
