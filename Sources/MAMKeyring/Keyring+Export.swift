// Exports an account's keys, and imports them.

package import MAMCrypto
internal import MAMLocks
package import MAMModel
internal import MAMSystem

extension Keyring {
    /// Exports the account's keys under a separate passphrase. Checks the account's passphrase as
    /// an unlock does, but does not unlock. `cost`: the cost of a guess at the export.
    package func export(
        _ account: AccountID, passphrase: SecretBytes?, under exportPassphrase: SecretBytes,
        cost: KeyDerivationCost = .standard
    ) throws(KeyringError) -> KeyExport {
        guard exportPassphrase.count > 0 else { throw .emptyPassphrase }
        let (keybag, keys) = try locks.passphrases.withLock(account) {
            () throws(KeyringError) -> (Keybag, ClassKeys) in
            let found = try state.keybag(of: account)
            let opened = try sealer.openKeys(found, passphrase: passphrase)
            return (found, try sealer.allKeys(of: found, opened))
        }
        return try KeyExport.seal(
            keys, of: keybag, time: max(0, clock()), passphrase: exportPassphrase, cost: cost)
    }

    /// Adds an export's account to this device: the same ids and keys in a new keybag, unlocked.
    /// `passphrase`: nil for keys that the device secret alone opens. `prepare`: as for a
    /// registration.
    package func add(
        _ export: KeyExport, _ opened: ExportedKeys, uid: UInt32, passphrase: SecretBytes?,
        preparing prepare: (AccountID) -> Void = { _ in }
    ) throws(KeyringError) {
        try locks.registrations.withSlot(of: uid) { () throws(KeyringError) in
            try changes.destroyLeftovers(of: export.identity)
            try refuseConflicts(with: export)
            let keybag = Keybag(
                accountID: export.accountID, identity: export.identity, uid: uid,
                registrationTime: nextRegistrationTime, generation: 1, passphrase: nil,
                publicKeyB: export.publicKeyB, keyIDs: export.keyIDs, wrappedKeys: [],
                others: export.others)
            if passphrase == nil { try keybag.keepRoomForPassphrase() }
            try changes.add(
                keybag, opened.keys, others: opened.others, passphrase: passphrase,
                preparing: prepare)
        }
    }

    /// Refuses an export that could be confused with an account that is or was here.
    private func refuseConflicts(with export: KeyExport) throws(KeyringError) {
        let account = export.accountID
        let names = export.allKeyIDs
        if let known = self.account(claimedBy: export.identity) { throw .accountExists(known) }
        let isHere = state.read { state in
            state.accounts[account] != nil
                || names.contains { state.keys[$0] != nil }
        }
        // Includes an account whose id someone uses as a name.
        if isHere || accounts.contains(where: { identity(of: $0).matches("\(account.bytes)") }) {
            throw .accountExists(account)
        }
        if let wipe = wipes.first(matching: export.identity) { throw .beingWiped(wipe.account) }
        let isWiped = names.contains { wipes.first(ofKey: $0) != nil }
        if isWiped || wipes.all.contains(where: { $0.account == account }) {
            throw .beingWiped(account)
        }
        // Unusable files may still matter: a damaged keybag, a record of a wipe.
        let objections = try storing { () throws(Errno) in
            [try files.keybags.objection(to: account), try wipes.store.objection(to: account)]
        }
        if let first = objections.compactMap(\.self).first { throw first }
    }
}
