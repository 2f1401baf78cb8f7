// A new passphrase in place of a forgotten one: an export of the account's keys opens the keybag.

package import MAMCrypto
package import MAMModel
internal import MAMSystem

extension Keyring {
    /// Wraps the class keys under a new passphrase, as a change does, and then forgets the wrong
    /// ones. Nothing is changed if the export has other keys than the account has now.
    package func resetPassphrase(
        _ account: AccountID, with export: KeyExport, _ opened: ExportedKeys, to new: SecretBytes?,
        previousBlockCount: Int = 0
    ) throws(KeyringError) {
        try changes.rewrite(
            account, opening: nil, sealing: new, refusing: previousBlockCount,
            with: { keybag throws(KeyringError) in
                try self.keys(of: keybag, from: export, opened)
            }
        ) { keybag, _, _ throws(KeyringError) in
            if new == nil { try keybag.keepRoomForPassphrase() }
        }
    }

    /// What the account's passphrase would open.
    private func keys(
        of keybag: Keybag, from export: KeyExport, _ opened: ExportedKeys
    ) throws(KeyringError) -> AccountKeys {
        let account = keybag.accountID
        guard keybag.passphrase != nil else {
            throw .refused(
                "the account has no passphrase that could be forgotten",
                next: "mamctl account passphrase")
        }
        guard export.accountID == account else {
            throw .refused(
                "it has the keys of \(export.identity), account \(export.accountID.bytes), and not"
                    + " those of \(keybag.identity), account \(account.bytes)")
        }
        guard export.keyIDs == keybag.keyIDs else {
            throw .refused(
                keybag.others.names.contains { $0.id == export.keyIDs.a }
                    ? "it is older than the keys that \(keybag.identity) has now"
                    : "it has keys that \(keybag.identity) has not here: the account's keybag is"
                        + " older",
                next: "mamctl recovery show FILE")
        }
        // B's public key proves the private one; D is always here, the others while they are open.
        let held = state.read { $0.accounts[account] }
        let isSame = ProtectionClass.allCases.allSatisfy { protectionClass in
            held?.key(protectionClass)?.equals(opened.keys[protectionClass]) ?? true
        }
        guard held != nil, isSame, export.publicKeyB == keybag.publicKeyB,
            let others = try? keybag.others.open(under: opened.keys, account)
        else { throw Keybag.forged }
        return AccountKeys(
            a: opened.keys.a, b: opened.keys.b, c: opened.keys.c, others: others,
            names: keybag.keyIDs)
    }
}
