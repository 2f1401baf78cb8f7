// Wraps and unwraps file keys, at every create and open.

package import MAMCrypto
package import MAMFormat
package import MAMModel
internal import MAMSystem

extension Keyring {
    /// The wrapper for a new file's key in this class. B and D always work; A only while unlocked;
    /// C from the first unlock on.
    package func wrapper(
        account: AccountID, protectionClass: ProtectionClass
    ) throws(KeyringError) -> FileKeyWrapper {
        let entry = state.read { $0.accounts[account] }
        guard let entry else { throw .unknownAccount(account) }
        let keyID = entry.keybag.keyID(protectionClass)
        guard protectionClass != .completeUnlessOpen else {
            return try ClassBKey.wrapper(keyID: keyID, publicKey: entry.keybag.publicKeyB)
        }
        guard let key = entry.key(protectionClass) else { throw .windowClosed(account) }
        return FileKeyWrapper(keyID: keyID, ephemeralKey: .zero, wrappingKey: key)
    }

    /// Unwraps a header's file key: 64 bytes, nonce 16 | key 32 | tag 16. The associated data are
    /// the header's bytes before them.
    package func unwrap(
        _ wrapped: UnsafeRawBufferPointer, keyID: KeyID, protectionClass: ProtectionClass,
        ephemeralKey: EphemeralKey, associatedData: UnsafeRawBufferPointer
    ) throws(KeyringError) -> SecretBytes {
        let found = state.read { state in
            state.keys[keyID].flatMap { named in
                state.accounts[named.account].map { (named.protectionClass, $0) }
            }
        }
        guard let (keyClass, entry) = found else { throw .unknownKey(keyID) }
        // mamd never writes a header whose class and key id disagree.
        guard keyClass == protectionClass else { throw .notAuthentic }
        let account = entry.keybag.accountID
        guard let key = entry.key(keyID, of: protectionClass) else { throw .windowClosed(account) }
        do throws(SealError) {
            let unwrappingKey = try key.opening(
                protectionClass, publicKeyB: entry.keybag.publicKeyB(ofKey: keyID), ephemeralKey)
            return try KeyWrap.unwrap(
                wrapped, under: unwrappingKey, associatedData: associatedData)
        } catch {
            if error == .notAuthentic { throw .notAuthentic }
            // The window may have closed since the key was looked up.
            throw key.isErased ? .windowClosed(account) : .cipher
        }
    }
}

extension SecretBytes {
    /// The key that opens a file's wrap, derived from a class key.
    fileprivate func opening(
        _ protectionClass: ProtectionClass, publicKeyB: Curve25519.PublicKey,
        _ ephemeralKey: EphemeralKey
    ) throws(SealError) -> SecretBytes {
        guard protectionClass == .completeUnlessOpen else { return self }
        return try ClassBKey.unwrappingKey(
            privateKey: self, publicKey: publicKeyB, ephemeral: ephemeralKey)
    }
}

extension KeyExport {
    /// True for the id of any of its keys, including the other keys.
    package func names(_ key: KeyID) -> Bool { allKeyIDs.contains(key) }

    var allKeyIDs: [KeyID] { others.keyIDs(beside: keyIDs) }

    /// Class B's public key for a key id.
    fileprivate func publicKeyB(ofKey id: KeyID) -> Curve25519.PublicKey {
        others.retired.first { $0.keyIDs.contains(id) }?.publicKeyB ?? publicKeyB
    }
}

extension ExportedKeys {
    /// True if these keys open the file key in this header. `bytes`: the encoded header.
    package func open(_ header: FileHeader, _ bytes: [UInt8], of export: KeyExport) -> Bool {
        guard let sealing = header.sealing, bytes.count >= FileHeader.byteCount,
            let key = key(sealing.keyID, of: sealing.protectionClass, in: export)
        else { return false }
        let opened = try? bytes.withUnsafeBytes { bytes in
            try KeyWrap.unwrap(
                .init(rebasing: bytes[FileHeader.wrappedKeyRange]),
                under: key.opening(
                    sealing.protectionClass, publicKeyB: export.publicKeyB(ofKey: sealing.keyID),
                    sealing.ephemeralKey),
                associatedData: .init(rebasing: bytes[..<FileHeader.associatedByteCount]))
        }
        return opened != nil
    }

    private func key(
        _ id: KeyID, of protectionClass: ProtectionClass, in export: KeyExport
    ) -> SecretBytes? {
        if export.keyIDs[protectionClass] == id { return keys[protectionClass] }
        return others.first { $0.id == id && $0.protectionClass == protectionClass }?.secret
    }
}
