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
                registrationTime: nextRegistrationTime, generation: 1, lock: .deviceSecret,
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

// A new passphrase in place of a forgotten one: an export of the account's keys opens the keybag.
extension Keyring {
    /// Wraps the class keys under a new passphrase, as a change does, and then forgets the wrong
    /// ones. Nothing is changed if the export has other keys than the account has now.
    package func resetPassphrase(
        _ account: AccountID, with export: KeyExport, _ opened: ExportedKeys, to new: SecretBytes?,
        previousBlockCount: Int = 0
    ) throws(KeyringError) {
        try changes.rewrite(
            account, opening: nil,
            slots: .passphrase(new, replacingAll: true, previousBlockCount: previousBlockCount),
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
        guard keybag.lock != .deviceSecret else {
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
