// The decision to wipe an account, on disk from the start. Pure: bytes in, values out.

internal import MAMFormat
package import MAMModel

/// The account whose keys and files are to be destroyed: docs/FORMAT.md, section 5. Contains no
/// secret.
package struct WipeIntent: Sendable {
    package let account: AccountID
    package let identity: Identity
    /// The user that registered the account.
    package let uid: UInt32
    let keyIDs: PerClass<KeyID>
    /// The ids of its other keys.
    let otherIDs: [KeyID]

    init(_ keybag: Keybag) {
        account = keybag.accountID
        identity = keybag.identity
        uid = keybag.uid
        keyIDs = keybag.keyIDs
        otherIDs = keybag.others.names.map(\.id)
    }

    /// True for a file whose header names this key.
    package func covers(_ key: KeyID) -> Bool {
        ProtectionClass.allCases.contains { keyIDs[$0] == key } || otherIDs.contains(key)
    }
}

/// Fields that a keybag has too are at the same offsets.
extension WipeIntent {
    private static let byteCount = Keybag.byteCount
    static let maximumByteCount = byteCount + 16 * maximumOtherCount
    private static let maximumOtherCount = maximumRetiredCount + JoinedKey.maximumCount
    /// Format version 3 allows more.
    private static let maximumRetiredCount =
        RetiredKeys.maximumCount * RetiredKeys.classes.count
    private static let otherCountOffset = 704
    /// `\x89MAMW\r\n\x1a`
    private static let magic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x57, 0x0D, 0x0A, 0x1A]
    private static let keyIDsOffset = 640

    static func newerVersion(in bytes: RawSpan) -> Int? {
        bytes.version(above: maximumVersion, magic: magic)
    }

    /// Nil for anything that ``encoded`` would not return.
    package init?(decoding bytes: RawSpan) {
        guard bytes.byteCount >= Self.byteCount, let identity = Identity(decoding: bytes) else {
            return nil
        }
        let otherCount = Int(bytes.integer(UInt8.self, at: Self.otherCountOffset))
        guard otherCount <= Self.maximumOtherCount,
            bytes.byteCount == Self.byteCount + 16 * otherCount
        else { return nil }
        account = AccountID(Bytes16(reading: bytes, at: KeybagOffset.accountID))
        self.identity = identity
        uid = bytes.integer(UInt32.self, at: KeybagOffset.uid)
        keyIDs = PerClass { Self.keyID($0, in: bytes) }
        otherIDs = (0..<otherCount).map {
            KeyID(Bytes16(reading: bytes, at: KeybagOffset.checksum + 16 * $0))
        }
        // These fields determine all others.
        guard bytes.begins(with: encoded), !covers(.none) else { return nil }
    }

    private static let maximumVersion: UInt16 = 3
    private var version: UInt16 {
        otherIDs.isEmpty ? 1 : otherIDs.count <= Self.maximumRetiredCount ? 2 : Self.maximumVersion
    }

    private static func keyID(_ protectionClass: ProtectionClass, in bytes: RawSpan) -> KeyID {
        KeyID(Bytes16(reading: bytes, at: keyIDsOffset + 16 * Int(protectionClass.rawValue - 1)))
    }

    package var encoded: [UInt8] {
        let count = Self.byteCount + 16 * otherIDs.count
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        raw.store(Self.magic, at: 0)
        raw.store(version, at: KeybagOffset.version)
        raw.store(uid, at: KeybagOffset.uid)
        account.bytes.write(to: &raw, at: KeybagOffset.accountID)
        identity.encode(into: &raw)
        for protectionClass in ProtectionClass.allCases {
            keyIDs[protectionClass].bytes.write(
                to: &raw, at: Self.keyIDsOffset + 16 * Int(protectionClass.rawValue - 1))
        }
        raw.store(UInt8(otherIDs.count), at: Self.otherCountOffset)
        for (index, id) in otherIDs.enumerated() {
            id.bytes.write(to: &raw, at: KeybagOffset.checksum + 16 * index)
        }
        raw.store(Checksum.crc32(raw.bytes, count: count - 4), at: count - 4)
        return bytes
    }
}
