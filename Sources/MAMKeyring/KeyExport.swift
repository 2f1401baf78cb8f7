// An account's keys for transport to another machine: a record of its own, independent of this
// device.

package import MAMCrypto
package import MAMFormat
package import MAMModel

/// docs/FORMAT.md, section 7. Contains no plain secret. Its public fields are authenticated only
/// once it is opened.
package struct KeyExport: Sendable {
    /// The length without other keys.
    package static let byteCount = 1024
    package static let maximumByteCount = Keybag.maximumByteCount
    /// The newest known version.
    static let version: UInt16 = 3

    package let accountID: AccountID
    package let identity: Identity
    /// When it was written, in seconds since 1970; not negative.
    package let time: Int64
    package let lock: Lock
    let publicKeyB: Curve25519.PublicKey
    let keyIDs: PerClass<KeyID>
    let others: OtherKeys
    /// The encoded record.
    package let bytes: [UInt8]

    /// What is needed to open it.
    package enum Lock: Sendable, Equatable {
        case passphrase(cost: KeyDerivationCost, salt: Bytes16)
        case recoveryKey(RecoveryPublicKey, ephemeral: Curve25519.PublicKey)
    }
}

/// Fields that a keybag has too are at the same offsets.
enum KeyExportOffset {
    static let kind = 10
    static let time = 32
    static let recoveryKey = 752
    static let ephemeral = 784
    static let nonce = 816
    static let sealedKeys = 832..<960
    static let tag = 960
    /// The end of the part that the check value covers.
    static let check = 976
    static let retiredCount = 992
    static let others = 1020
    static let reserved = [12..<16, 40..<48, 993..<1020]
    static let passphraseOnly = KeybagOffset.passphraseOnly
    static let recoveryOnly = [752..<816]
}

/// Values of the field `kind`.
enum KeyExportKind {
    static let passphrase: UInt8 = 1
    static let recoveryKey: UInt8 = 2
}

/// `\x89MAME\r\n\x1a`
let keyExportMagic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x45, 0x0D, 0x0A, 0x1A]

/// Why an export was not opened.
package enum KeyExportError: Error, Equatable, Sendable {
    /// There is no magic.
    case notAnExport
    case newerVersion(Int)
    case wrongLength
    /// The CRC-32 differs: the bytes were corrupted.
    case checksum
    /// The field at this offset has a value that no version writes.
    case field(offset: Int)
    /// Deriving its key would take more time and memory than an untrusted file may cost.
    case tooCostly
    /// It needs a passphrase, but a recovery key was given.
    case needsPassphrase
    /// It needs a recovery key, but a passphrase was given.
    case needsRecoveryKey(RecoveryPublicKey)
    /// It is sealed to a different recovery key.
    case otherRecoveryKey(RecoveryPublicKey)
    case wrongPassphrase
    /// It was tampered with, or its keys do not belong together.
    case notAuthentic
    case derivation(DerivationError)
}

extension KeyExportError: Worded {
    package var description: String { message.english }

    package var message: Message {
        switch self {
        case .notAnExport: "it does not begin as exported keys do"
        case .newerVersion(let version):
            "it has format version \(version), but this program supports up to"
                + " \(KeyExport.version):"
                + " install a newer mamd"
        case .wrongLength: "no export has its length"
        case .checksum: "its checksum is wrong: it was changed or damaged"
        case .field(let offset): "it has an impossible value at offset \(offset)"
        case .tooCostly: "it asks for more memory or time than any export does: it was forged"
        case .needsPassphrase: "it is sealed under a passphrase, not to a recovery key"
        case .needsRecoveryKey(let key):
            "it is sealed to the recovery key \(key.shortName): give that with --recovery-key"
        case .otherRecoveryKey(let key):
            "it is sealed to the recovery key \(key.shortName), which is another one"
        case .wrongPassphrase: "the export's passphrase is wrong"
        case .notAuthentic: "its keys do not open: it was changed"
        case .derivation(let error): "\(KeyringError.derivation(error))"
        }
    }
}
