// Opens and closes windows by loading and dropping class keys.

package import MAMCrypto
internal import MAMLocks
package import MAMModel
internal import MAMSystem

extension Keyring {
    /// Whether the account's class keys are loaded; the vault manages grace periods.
    package func windowState(of account: AccountID) -> WindowState {
        state.read { $0.accounts[account]?.window ?? .beforeFirstUnlock }
    }

    /// Loads the keys of A, B and C. Takes as long as the key derivation. `passphrase`: nil for an
    /// account without one.
    package func unlock(
        _ account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) {
        try setUnlocked(account, keys: try openKeys(of: account, passphrase: passphrase))
    }

    /// Unwraps the keys without loading them; takes as long as the key derivation, or a chip.
    /// `slot`: the only one to try; a chip's is not tried without.
    package func openKeys(
        of account: AccountID, passphrase: SecretBytes?, slot: KeySlot.ID? = nil
    ) throws(KeyringError) -> AccountKeys {
        try locks.passphrases.withLock(account) { () throws(KeyringError) in
            try sealer.openKeys(
                try state.keybag(of: account), passphrase: passphrase, slot: slot)
        }
    }

    /// The end of a lock: erases A and B's private key. C stays.
    package func dropLockedKeys(_ account: AccountID) {
        state.withLock { $0.accounts[account]?.dropLockedKeys() }
    }

    /// Erases A, B and C of all accounts, as after a start. D stays.
    package func dropAllKeys() {
        state.withLock { state in
            for account in state.order {
                state.accounts[account]?.dropLockedKeys()
                state.accounts[account]?.dropKeyC()
            }
        }
    }

    /// Loads unwrapped keys.
    package func setUnlocked(_ account: AccountID, keys: AccountKeys) throws(KeyringError) {
        let isCurrent: Bool? = state.withLock { state in
            guard var entry = state.accounts[account] else { return nil }
            // The account got its first passphrase after these keys were unwrapped without one.
            guard entry.keybag.keyIDs == keys.names else { return false }
            // Keys that are already loaded stay: another thread may be using them to wrap.
            entry.keyA = entry.keyA ?? keys.a
            entry.privateKeyB = entry.privateKeyB ?? keys.b
            entry.keyC = entry.keyC ?? keys.c
            for key in keys.others where entry.others[key.id] == nil {
                entry.others[key.id] = key.secret
            }
            state.accounts[account] = entry
            return true
        }
        guard let isCurrent else { throw .unknownAccount(account) }
        guard isCurrent else { throw .passphraseRequired }
    }
}
