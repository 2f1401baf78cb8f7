// The secrets that open an account.

package import MAMCrypto
package import MAMModel
internal import MAMSystem

extension Keyring {
    /// None for an account that the device secret alone opens, or that is not here.
    package func slots(of account: AccountID) -> [KeySlot] {
        state.read { $0.accounts[account]?.keybag.slots ?? [] }
    }

    /// Adds a secret that no slot has. `opening`: one of the account's; a wrong one counts as it
    /// does at an unlock. `previousBlockCount`: how many of the last passphrases a new one may not
    /// repeat; also for words, which can change one that they do not know.
    package func addSlot(
        _ new: NewSlot, to account: AccountID, opening secret: SecretBytes?,
        previousBlockCount: Int = 0
    ) throws(KeyringError) -> KeySlot {
        let changed = try changes.rewrite(
            account, opening: secret,
            slots: .added(new, previousBlockCount: previousBlockCount)
        ) { _, _, _ in }
        guard let slot = changed.slots.last else { throw .unknownAccount(account) }
        return slot
    }

    /// The class keys stay as they are: together with an old copy of the keybag, the secret still
    /// opens them.
    package func removeSlot(
        _ id: KeySlot.ID, of account: AccountID, opening secret: SecretBytes?
    ) throws(KeyringError) {
        try changes.rewrite(account, opening: secret, slots: .removed(id)) { _, _, _ in }
    }

    /// The slot that a secret opens; nil if the account needs none. A wrong one counts as it does
    /// at an unlock. `id`: the only one to try.
    package func testSlot(
        _ id: KeySlot.ID? = nil, of account: AccountID, secret: SecretBytes?
    ) throws(KeyringError) -> KeySlot? {
        try openKeys(of: account, passphrase: secret, slot: id).slot
    }
}
