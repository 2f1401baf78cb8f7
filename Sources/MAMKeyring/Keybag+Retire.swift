// New class keys for an account that gets its first passphrase: every older keybag opens the
// current ones with the device secret alone.

internal import MAMCrypto
internal import MAMModel

extension Keybag {
    /// Makes new class keys, and keeps the current ones to open existing files. Returns all keys,
    /// new and retired.
    ///
    /// D stays: the new keybag opens it without a passphrase too.
    mutating func retire(
        _ keys: ClassKeys, _ opened: AccountKeys
    ) throws(KeyringError) -> (ClassKeys, AccountKeys) {
        guard others.retired.count < RetiredKeys.maximumCount else {
            // Only if a build wrote the keybag that kept no room for it.
            throw .refused(
                "the account has \(others.retired.count) sets of older keys, and its keybag has "
                    + "room for no more: export its keys, and import them with a passphrase where "
                    + "the account is not")
        }
        let new = ClassKeys { protectionClass in
            protectionClass == .none ? keys.d : .random(count: AESGCM.keyByteCount)
        }
        let last = RetiredKeys.classes.map {
            OtherKeys.Key(id: keyIDs[$0], protectionClass: $0, secret: keys[$0])
        }
        var sets: [RetiredKeys] = []
        for set in others.retired {
            let old = opened.others.filter { set.keyIDs.contains($0.id) }
            sets.append(
                try RetiredKeys(old, publicKeyB: set.publicKeyB, under: new, accountID))
        }
        sets.append(try RetiredKeys(last, publicKeyB: publicKeyB, under: new, accountID))
        let oldD = keyIDs.d
        others.retired = sets
        keyIDs = PerClass { $0 == .none ? oldD : KeyID(SecureRandom.bytes16()) }
        do throws(SealError) {
            publicKeyB = try Curve25519.KeyPair(privateKey: new.b).publicKey
        } catch { throw .cipher }
        let all = AccountKeys(
            a: new.a, b: new.b, c: new.c, others: opened.others + last, names: keyIDs)
        return (new, all)
    }
}

extension Keybag {
    /// Refuses to remove the passphrase if no set of retired keys would fit when the next one is
    /// set.
    func keepRoomForPassphrase() throws(KeyringError) {
        guard others.retired.count >= RetiredKeys.maximumCount else { return }
        throw .refused(
            "the account has \(others.retired.count) sets of older keys, and another passphrase "
                + "after none would need one more than its keybag has room for: give it a "
                + "passphrase")
    }
}

extension Keybag {
    /// Includes the other keys' ids.
    var allKeyIDs: [KeyID] { others.keyIDs(beside: keyIDs) }

    /// Class B's public key for a key id, which may be a retired one's.
    func publicKeyB(ofKey id: KeyID) -> Curve25519.PublicKey {
        others.retired.first { $0.keyIDs.contains(id) }?.publicKeyB ?? publicKeyB
    }
}
