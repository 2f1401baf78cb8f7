// An account's record: its identity and its wrapped class keys. Pure: bytes in, values out.

package import MAMCrypto
package import MAMModel

/// The fields of docs/FORMAT.md, section 3. Contains no plain secret.
package struct Keybag: Sendable {
    /// The length without other keys and slots.
    package static let byteCount = 1024
    package static let maximumByteCount =
        byteCount + OtherKeys.maximumByteCount
        + (KeySlot.byteCount + ChipSeal.byteCount) * KeySlot.maximumCount
    /// The newest known version.
    static let version: UInt16 = 5

    package let accountID: AccountID
    package var identity: Identity
    /// The user that registered the account.
    package let uid: UInt32
    /// Seconds since 1970, not negative.
    package let registrationTime: Int64
    /// Starts at 1 and grows by one with every change.
    package var generation: UInt64
    var lock: Lock
    package var publicKeyB: Curve25519.PublicKey
    var keyIDs: PerClass<KeyID>
    /// Classes A to D, each nonce 16 | key 32 | tag 16.
    var wrappedKeys: [UInt8]
    /// Keys that open files but seal none.
    var others = OtherKeys()

    /// What opens A, B and C besides the device secret.
    enum Lock: Sendable, Equatable {
        /// Nothing: an account without a passphrase.
        case deviceSecret
        /// As versions 1 to 3 have it. A change makes it a slot.
        case passphrase(DerivationParameters)
        /// At least one.
        case slots([KeySlot])
    }

    /// The secrets that open the account; none if the device secret does. The passphrase of a
    /// keybag of before is shown as a slot.
    package var slots: [KeySlot] {
        switch lock {
        case .deviceSecret: []
        case .passphrase(let derivation):
            [
                KeySlot(
                    id: .none, kind: .passphrase, creationTime: registrationTime,
                    derivation: derivation, publicKey: .zero)
            ]
        case .slots(let slots): slots
        }
    }

    /// The slots as the record has them.
    var storedSlots: [KeySlot] {
        if case .slots(let slots) = lock { slots } else { [] }
    }

    /// The id of one class's key.
    package func keyID(_ protectionClass: ProtectionClass) -> KeyID { keyIDs[protectionClass] }

    /// The range of a class's wrapped key in ``wrappedKeys``.
    static func wrappedRange(_ protectionClass: ProtectionClass) -> Range<Int> {
        let start = Int(protectionClass.rawValue - 1) * KeyWrap.byteCount
        return start..<start + KeyWrap.byteCount
    }
}

/// One value per class.
struct PerClass<Value: Sendable>: Sendable {
    var a: Value
    var b: Value
    var c: Value
    var d: Value

    init<Failure: Error>(
        _ make: (ProtectionClass) throws(Failure) -> Value
    ) throws(Failure) {
        a = try make(.complete)
        b = try make(.completeUnlessOpen)
        c = try make(.completeUntilFirstUserAuthentication)
        d = try make(.none)
    }

    subscript(protectionClass: ProtectionClass) -> Value {
        switch protectionClass {
        case .complete: a
        case .completeUnlessOpen: b
        case .completeUntilFirstUserAuthentication: c
        case .none: d
        }
    }
}

extension PerClass: Equatable where Value: Equatable {}

/// Field offsets of the record.
enum KeybagOffset {
    static let version = 8
    static let flags = 10
    static let joinedCount = 11
    static let uid = 12
    static let accountID = 16
    static let generation = 32
    static let registrationTime = 40
    static let nameCount = 48
    static let objectIDCount = 50
    static let passes = 52
    static let memory = 56
    static let name = 64..<576
    static let objectID = 576..<640
    static let salt = 640
    static let publicKeyB = 656
    static let keyIDs = 688
    static let wrappedKeys = 752..<1008
    static let retiredCount = 1008
    static let slotCount = 1009
    static let others = 1020
    /// In a record of 1024 bytes. In a longer one the checksum is at the end, too.
    static let checksum = 1020
    /// Must be zero in every record.
    static let reserved = [1010..<1020]
    /// Ranges that must be zero without a passphrase, and with slots.
    static let passphraseOnly = [52..<64, 640..<656]
}

/// Bit 0 of the flags, up to version 3.
let passphraseFlag: UInt8 = 1

/// `89 4D 41 4D 4B 0D 0A 1A`, `\x89MAMK\r\n\x1a`.
let keybagMagic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x4B, 0x0D, 0x0A, 0x1A]
