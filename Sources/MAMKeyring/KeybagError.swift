// Why bytes are not a keybag of this device.

package import MAMModel
internal import MAMSystem

/// What is wrong with one copy of a keybag.
package enum KeybagError: Error, Equatable, Sendable {
    case missing
    case truncated(byteCount: Int)
    case tooLong
    /// There is no magic.
    case notAKeybag
    /// Written by a newer version of mamd.
    case newerVersion(Int)
    /// The CRC-32 differs: the bytes were corrupted.
    case checksum
    /// The field at this offset has a value that no version writes.
    case field(offset: Int)
    /// The name or object id is not valid for an account.
    case ownerText
    /// The account id differs from the file's name.
    case otherAccount
    /// Class key D does not unwrap with this device's secret.
    case foreign
    /// The passphrase is right, but not all keys unwrap.
    case keysDamaged
    case system(Errno)
}

extension KeybagError: Worded {
    package var description: String { message.english }

    package var message: Message {
        switch self {
        case .missing: "the file is not there"
        case .truncated(let count): "it is cut off: \(count) of \(Keybag.byteCount) bytes"
        case .tooLong: "no keybag has its length"
        case .notAKeybag: "it does not begin as a keybag does"
        case .newerVersion(let version):
            "it has format version \(version), but this program supports up to \(Keybag.version):"
                + " install a newer mamd"
        case .checksum: "its checksum is wrong: it was changed or damaged"
        case .field(let offset): "it has an impossible value at offset \(offset)"
        case .ownerText: "the account's name in it is not readable text"
        case .otherAccount: "it belongs to another account than its file name says"
        case .foreign: "it belongs to another device, or was forged"
        case .keysDamaged: "the passphrase is right, but not all of its keys open: it was changed"
        case .system(let error): "it cannot be read: \(error)"
        }
    }
}
