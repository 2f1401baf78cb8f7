// An account's keys on their way to another machine: a record of its own, with nothing of this
// device in it.

package import MAMCrypto
package import MAMFormat
package import MAMModel

/// docs/FORMAT.md, section 7. Holds nothing secret: its keys are sealed. The public fields are
/// authenticated only once it was opened.
package struct KeyExport: Sendable {
    /// Of one without other keys.
    package static let byteCount = 1024
    package static let maximumByteCount = Keybag.maximumByteCount
    /// The newest that is known.
    static let version: UInt16 = 3

    package let accountID: AccountID
    package let identity: Identity
    /// When it was written, in seconds since 1970; not negative.
    package let time: Int64
    package let lock: Lock
    let publicKeyB: Curve25519.PublicKey
    let keyIDs: PerClass<KeyID>
    let others: OtherKeys
    /// As it is on disk.
    package let bytes: [UInt8]

    /// What opens it.
    package enum Lock: Sendable, Equatable {
        case passphrase(cost: KeyDerivationCost, salt: Bytes16)
        case recoveryKey(RecoveryPublicKey, ephemeral: Curve25519.PublicKey)
    }
}

/// Where the fields are that a keybag has too, they are where it has them.
enum KeyExportOffset {
    static let kind = 10
    static let time = 32
    static let recoveryKey = 752
    static let ephemeral = 784
    static let nonce = 816
    static let sealedKeys = 832..<960
    static let tag = 960
    /// Up to here the check covers.
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
    /// The magic is not there.
    case notAnExport
    case newerVersion(Int)
    case wrongLength
    /// CRC-32 differs: the bytes were changed by accident.
    case checksum
    /// A field has a value that no writer gives it; its offset.
    case field(offset: Int)
    /// Deriving its key would take more than a machine should give to a file that anybody may have
    /// written.
    case tooCostly
    /// It is sealed under a passphrase, and a recovery key was given.
    case needsPassphrase
    /// It is sealed to a recovery key, and a passphrase was given.
    case needsRecoveryKey(RecoveryPublicKey)
    /// It is sealed to another recovery key than the one that was given.
    case otherRecoveryKey(RecoveryPublicKey)
    case wrongPassphrase
    /// It was changed on purpose, or its keys do not belong to each other.
    case notAuthentic
    case derivation(DerivationError)
}

extension KeyExportError: CustomStringConvertible {
    package var description: String {
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
