// An account's loaded keys.

internal import MAMCrypto
internal import MAMModel

/// One account and those of its keys that are loaded.
struct HeldAccount: Sendable {
    var keybag: Keybag
    let keyD: SecretBytes
    /// Nil once dropped.
    var keyA: SecretBytes?
    var privateKeyB: SecretBytes?
    var keyC: SecretBytes?
    /// Earlier and imported keys, which only open files. Loaded and dropped with their class.
    var others: [KeyID: SecretBytes] = [:]

    /// Derived from the loaded keys.
    var window: WindowState {
        keyA != nil ? .unlocked : keyC != nil ? .locked : .beforeFirstUnlock
    }
}

extension HeldAccount {
    /// The key that opens files of a class: for B the private key. Nil while the window is closed.
    func key(_ protectionClass: ProtectionClass) -> SecretBytes? {
        switch protectionClass {
        case .complete: keyA
        case .completeUnlessOpen: privateKeyB
        case .completeUntilFirstUserAuthentication: keyC
        case .none: keyD
        }
    }

    /// For a key id, which may be an earlier key's.
    func key(_ id: KeyID, of protectionClass: ProtectionClass) -> SecretBytes? {
        keybag.keyID(protectionClass) == id ? key(protectionClass) : others[id]
    }

    mutating func dropLockedKeys() {
        keyA?.erase()
        privateKeyB?.erase()
        keyA = nil
        privateKeyB = nil
        dropOthers(of: [.complete, .completeUnlessOpen])
    }

    mutating func dropKeyC() {
        keyC?.erase()
        keyC = nil
        dropOthers(of: [.completeUntilFirstUserAuthentication])
    }

    private mutating func dropOthers(of classes: [ProtectionClass]) {
        for (id, protectionClass) in keybag.others.names where classes.contains(protectionClass) {
            others.removeValue(forKey: id)?.erase()
        }
    }
}
