// New class keys for an account that gets a passphrase: those that it has had are opened by every
// keybag that was there before, with the device secret alone.

internal import MAMCrypto
internal import MAMModel

extension Keybag {
    /// Makes new class keys, and keeps those so far to open what they have sealed. Returns all keys
    /// as they are then, the new ones and the retired.
    ///
    /// D stays: it needs no passphrase in the new keybag either.
    mutating func retire(
        _ keys: ClassKeys, _ opened: AccountKeys
    ) throws(KeyringError) -> (ClassKeys, AccountKeys) {
        guard others.retired.count < RetiredKeys.maximumCount else {
            // Only of a build that kept no room for it.
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
    /// Refuses to be left without a passphrase where the next one would find no room for its set.
    func keepRoomForPassphrase() throws(KeyringError) {
        guard others.retired.count >= RetiredKeys.maximumCount else { return }
        throw .refused(
            "the account has \(others.retired.count) sets of older keys, and another passphrase "
                + "after none would need one more than its keybag has room for: give it a "
                + "passphrase")
    }
}

extension Keybag {
    /// Of the other keys too.
    var allKeyIDs: [KeyID] { others.keyIDs(beside: keyIDs) }

    /// The public key of class B that belongs to a key id, which may be a retired one's.
    func publicKeyB(ofKey id: KeyID) -> Curve25519.PublicKey {
        others.retired.first { $0.keyIDs.contains(id) }?.publicKeyB ?? publicKeyB
    }
}
