// An account's keys out of this keyring, and into another one.

package import MAMCrypto
package import MAMFormat
package import MAMModel
internal import MAMSystem

extension Keyring {
    /// The account's keys under a passphrase of the export's own. Takes the account's as an unlock does, and unlocks
    /// nothing. `cost`: what a guess at the export costs.
    package func export(
        _ account: AccountID, passphrase: SecretBytes?, under exportPassphrase: SecretBytes,
        cost: KeyDerivationCost = .standard
    ) throws(KeyringError) -> KeyExport {
        guard exportPassphrase.count > 0 else { throw .emptyPassphrase }
        let (keybag, keys) = try passphrases.withLock(account) {
            () throws(KeyringError) -> (Keybag, ClassKeys) in
            let found = try self.keybag(of: account)
            let opened = try openKeys(found, passphrase: passphrase)
            return (found, try allKeys(of: found, opened))
        }
        return try KeyExport.seal(
            keys, of: keybag, time: max(0, clock()), passphrase: exportPassphrase, cost: cost)
    }

    /// Makes the account of an export one of this device: the same ids and keys, another keybag. It is unlocked from now
    /// on. The passphrase is nil for keys that the device secret alone opens. `prepare`: as for a
    /// registration.
    package func add(
        _ export: KeyExport, _ opened: ExportedKeys, uid: UInt32, passphrase: SecretBytes?,
        preparing prepare: (AccountID) -> Void = { _ in }
    ) throws(KeyringError) {
        try registrations.withTurn(of: uid) { () throws(KeyringError) in
            try destroyLeftovers(of: export.identity)
            try refuseConflicts(with: export)
            let keybag = Keybag(
                accountID: export.accountID, identity: export.identity, uid: uid,
                registrationTime: nextRegistrationTime, generation: 1, passphrase: nil,
                publicKeyB: export.publicKeyB, keyIDs: export.keyIDs, wrappedKeys: [],
                others: export.others)
            if passphrase == nil { try keybag.keepRoomForPassphrase() }
            try add(
                keybag, opened.keys, others: opened.others, passphrase: passphrase,
                preparing: prepare)
        }
    }

    /// The account's keys, sealed to a recovery key; nil while they are not all at hand.
    package func sealKeys(
        of account: AccountID, to key: RecoveryPublicKey
    ) throws(KeyringError) -> KeyExport? {
        guard let entry = state.read({ $0.accounts[account] }), let keyA = entry.keyA,
            let keyB = entry.privateKeyB, let keyC = entry.keyC
        else { return nil }
        let opened = AccountKeys(a: keyA, b: keyB, c: keyC, names: entry.keybag.keyIDs)
        return try KeyExport.seal(
            try allKeys(of: entry.keybag, opened), of: entry.keybag, time: max(0, clock()), to: key)
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

    /// Nothing that is here, or was here and is not gone yet, may be mistaken for what comes.
    private func refuseConflicts(with export: KeyExport) throws(KeyringError) {
        let account = export.accountID
        let names = export.allKeyIDs
        if let known = self.account(claimedBy: export.identity) { throw .accountExists(known) }
        let isHere = state.read { state in
            state.accounts[account] != nil
                || names.contains { state.keys[$0] != nil }
        }
        // Nor one whose id somebody types for a name.
        if isHere || accounts.contains(where: { identity(of: $0).matches("\(account.bytes)") }) {
            throw .accountExists(account)
        }
        if let wipe = wipe(matching: export.identity) { throw .beingWiped(wipe.account) }
        let isWiped = names.contains { wipe(ofKey: $0) != nil }
        if isWiped || wipes.contains(where: { $0.account == account }) {
            throw .beingWiped(account)
        }
        // What cannot be used may still be of use: a damaged keybag, and a record of a wipe.
        let objections = try Self.storing { () throws(Errno) in
            [try store.objection(to: account), try wipeStore.objection(to: account)]
        }
        if let first = objections.compactMap(\.self).first { throw first }
    }
}
