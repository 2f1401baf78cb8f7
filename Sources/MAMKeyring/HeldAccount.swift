// What of an account's keys is at hand.

internal import MAMCrypto
internal import MAMModel

/// One account and what of its keys is at hand.
struct HeldAccount: Sendable {
    var keybag: Keybag
    let keyD: SecretBytes
    /// Nil when dropped.
    var keyA: SecretBytes?
    var privateKeyB: SecretBytes?
    var keyC: SecretBytes?
    /// Those that open files beside the present ones. Each comes and goes with its class.
    var others: [KeyID: SecretBytes] = [:]

    /// By the keys that are at hand.
    var window: WindowState {
        keyA != nil ? .unlocked : keyC != nil ? .locked : .beforeFirstUnlock
    }
}

extension HeldAccount {
    /// What opens files of a class: for B the private half. Nil while the window is closed.
    func key(_ protectionClass: ProtectionClass) -> SecretBytes? {
        switch protectionClass {
        case .complete: keyA
        case .completeUnlessOpen: privateKeyB
        case .completeUntilFirstUserAuthentication: keyC
        case .none: keyD
        }
    }

    /// The same for one that may be another than the present.
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
