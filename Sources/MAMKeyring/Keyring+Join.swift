// Imports into an existing account: the imported keys open files in addition to its own.

package import MAMCrypto
package import MAMModel
internal import MAMSystem

extension Keyring {
    /// Adds the keys of an export to an account of the same name. The account keeps its id, current
    /// keys and passphrase, which is checked as an unlock does; its windows stay as they are.
    package func join(
        _ export: KeyExport, _ opened: ExportedKeys, to account: AccountID,
        passphrase: SecretBytes?
    ) throws(KeyringError) {
        // Excludes other accounts from getting one of these keys meanwhile.
        try locks.registrations.withSlot(of: uid(of: account) ?? 0) { () throws(KeyringError) in
            try refuseOthers(than: account, having: export)
            try changes.rewrite(account, opening: passphrase) {
                keybag, keys, all throws(KeyringError) in
                try keybag.join(export, opened, beside: keys, &all)
            }
        }
    }

    private func refuseOthers(
        than account: AccountID, having export: KeyExport
    ) throws(KeyringError) {
        let known = identity(of: account)
        guard known.matches(export.identity),
            known.objectID.isEmpty || export.identity.objectID.isEmpty
                || known.matches(export.identity.objectID)
        else {
            throw .refused("the keys are those of \(export.identity), which is another account")
        }
        for name in export.allKeyIDs {
            if let holder = self.account(ofKey: name), holder != account {
                throw .accountExists(holder)
            }
            if let wipe = wipes.first(ofKey: name) { throw .beingWiped(wipe.account) }
        }
    }
}

extension Keybag {
    /// `all`: the new keys are added to it.
    fileprivate mutating func join(
        _ export: KeyExport, _ opened: ExportedKeys, beside current: ClassKeys,
        _ all: inout AccountKeys
    ) throws(KeyringError) {
        var new: [OtherKeys.Key] = []
        for key in opened.all(of: export) where try !isKnown(key, current, all) {
            new.append(key)
        }
        guard !new.isEmpty else { throw .refused("the account has all of these keys already") }
        for set in export.sets where new.contains(where: { set.keyIDs.contains($0.id) }) {
            let keys = RetiredKeys.classes.indices.compactMap { index in
                new.first { $0.id == set.keyIDs[index] }
            }
            guard keys.count == RetiredKeys.classes.count else { throw Self.forged }
            others.retired.append(
                try RetiredKeys(
                    keys, publicKeyB: set.publicKeyB, under: current, accountID))
        }
        for key in new where key.protectionClass == .none {
            others.joined.append(try JoinedKey(key, under: current.d, accountID))
        }
        // Leaves room for a first passphrase, which adds one more.
        guard others.retired.count < RetiredKeys.maximumCount,
            others.joined.count <= JoinedKey.maximumCount
        else {
            throw .refused(
                "the account would have more than \(RetiredKeys.maximumCount - 1) sets of older"
                    + " keys, and its keybag has room for no more: import the export into a"
                    + " workspace of its own, with its files, and copy these over from there")
        }
        all.others += new
    }

    static let forged = KeyringError.refused(
        "the keys have ids of the account's and are others: the export was forged")

    /// A key with the same id has to be the same key.
    private func isKnown(
        _ key: OtherKeys.Key, _ current: ClassKeys, _ all: AccountKeys
    ) throws(KeyringError) -> Bool {
        let present = ProtectionClass.allCases.map {
            OtherKeys.Key(id: keyIDs[$0], protectionClass: $0, secret: current[$0])
        }
        guard let known = (present + all.others).first(where: { $0.id == key.id }) else {
            return false
        }
        guard known.protectionClass == key.protectionClass, known.secret.equals(key.secret) else {
            throw Self.forged
        }
        return true
    }
}

extension KeyExport {
    /// Its keys of A, B and C, oldest first.
    fileprivate var sets: [(keyIDs: [KeyID], publicKeyB: Curve25519.PublicKey)] {
        others.retired.map { ($0.keyIDs, $0.publicKeyB) }
            + [(RetiredKeys.classes.map { keyIDs[$0] }, publicKeyB)]
    }
}

extension ExportedKeys {
    fileprivate func all(of export: KeyExport) -> [OtherKeys.Key] {
        others
            + ProtectionClass.allCases.map {
                OtherKeys.Key(id: export.keyIDs[$0], protectionClass: $0, secret: keys[$0])
            }
    }
}
