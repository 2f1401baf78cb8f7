// Opening and closing windows: which class keys are at hand.

package import MAMCrypto
package import MAMModel
internal import MAMSystem

extension Keyring {
    /// Whether the account's class keys are at hand; grace periods are the vault's.
    package func windowState(of account: AccountID) -> WindowState {
        state.read { $0.accounts[account]?.window ?? .beforeFirstUnlock }
    }

    /// Brings the keys of A, B and C to hand. Takes as long as the key derivation does. The
    /// passphrase is nil for an account that was registered without one.
    package func unlock(
        _ account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) {
        try setUnlocked(account, keys: try openKeys(of: account, passphrase: passphrase))
    }

    /// Unwraps the keys, which takes as long as the key derivation does; they are not at hand yet.
    package func openKeys(
        of account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) -> AccountKeys {
        try locks.passphrases.withLock(account) { () throws(KeyringError) in
            try sealer.openKeys(try state.keybag(of: account), passphrase: passphrase)
        }
    }

    /// The end of a lock: erases A and the private half of B. C stays.
    package func dropLockedKeys(_ account: AccountID) {
        state.withLock { $0.accounts[account]?.dropLockedKeys() }
    }

    /// Erases A, B and C of all accounts, as if the daemon had just started. D stays.
    package func dropAllKeys() {
        state.withLock { state in
            for account in state.order {
                state.accounts[account]?.dropLockedKeys()
                state.accounts[account]?.dropKeyC()
            }
        }
    }

    /// Brings unwrapped keys to hand.
    package func setUnlocked(_ account: AccountID, keys: AccountKeys) throws(KeyringError) {
        let isCurrent: Bool? = state.withLock { state in
            guard var entry = state.accounts[account] else { return nil }
            // It was given a passphrase since these were opened without one.
            guard entry.keybag.keyIDs == keys.names else { return false }
            // Keys that are here already stay: someone may be wrapping with them.
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
