// An account's keys for who has a recovery key.

package import MAMFormat
package import MAMModel
internal import MAMSystem

/// Seals keys that are at hand to recovery keys, and tells records of them apart.
package struct RecoverySealer: Sendable {
    let sealer: KeybagSealer
    let state: SharedState<AccountTable>
    let clock: @Sendable () -> Int64

    /// The account's keys, sealed to a recovery key; nil while they are not all at hand.
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

    /// True for a record that this device wrote of the account as it is now.
    package func isCurrent(_ record: KeyExport, of account: AccountID) -> Bool {
        guard let entry = state.read({ $0.accounts[account] }) else { return false }
        return record.isSealed(from: entry.keybag, keyD: entry.keyD)
    }

    /// True for a record that was sealed by who had this account's keys, and holds some that
    /// nothing else here does.
    package func holdsMoreKeys(_ record: KeyExport, of account: AccountID) -> Bool {
        guard let entry = state.read({ $0.accounts[account] }) else { return false }
        return record.holdsMoreKeys(than: entry.keybag, keyD: entry.keyD)
    }
}
