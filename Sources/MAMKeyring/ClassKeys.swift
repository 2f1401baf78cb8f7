// An account's four class keys, and the keys that wrap them.

internal import MAMCrypto
internal import MAMModel

/// Loaded class keys; B is the private key.
typealias ClassKeys = PerClass<SecretBytes>

/// Keys that wrap class keys: see the end of docs/FORMAT.md, section 3. Their salt is the account's
/// id.
enum WrappingKey {
    /// For D: from the device secret alone.
    static func device(
        _ deviceSecret: SecretBytes, _ account: AccountID
    ) throws(DerivationError) -> SecretBytes {
        try Derivation.hkdf(
            input: deviceSecret, salt: account.bytes, info: "mamd keybag device v1")
    }

    /// For A, B and C of an account without a passphrase.
    static func withoutPassphrase(
        _ deviceSecret: SecretBytes, _ account: AccountID
    ) throws(DerivationError) -> SecretBytes {
        try Derivation.hkdf(
            input: deviceSecret, salt: account.bytes,
            info: "mamd keybag account without passphrase v1")
    }

    /// For A, B and C of an account with slots.
    static func account(
        _ accountKey: SecretBytes, _ deviceSecret: SecretBytes, _ account: AccountID
    ) throws(DerivationError) -> SecretBytes {
        try derive(accountKey, deviceSecret, account, "mamd keybag slots v1")
    }

    /// A slot's private key: from its secret stretched by Argon2id, and the device secret.
    static func slot(
        stretched: SecretBytes, _ deviceSecret: SecretBytes, _ account: AccountID
    ) throws(DerivationError) -> SecretBytes {
        try derive(stretched, deviceSecret, account, "mamd key slot v1")
    }

    /// The authValue that stands for a PIN: the chip learns nothing else of it.
    static func chipPIN(
        stretched: SecretBytes, _ deviceSecret: SecretBytes, _ account: AccountID
    ) throws(DerivationError) -> SecretBytes {
        try derive(stretched, deviceSecret, account, "mamd key slot chip pin v1")
    }

    /// What stands for the stretched secret of a chip's slot: from what the chip has sealed, and
    /// from its PIN stretched by Argon2id, so that a broken chip still leaves a search.
    static func chip(
        _ secret: SecretBytes, stretched: SecretBytes?, _ account: AccountID
    ) throws(DerivationError) -> SecretBytes {
        try Derivation.hkdf(
            input: stretched.map { .joining(secret, $0) } ?? secret, salt: account.bytes,
            info: "mamd key slot chip v1")
    }

    /// For A, B and C up to version 3: from the passphrase stretched by Argon2id, and the device
    /// secret.
    static func account(
        stretched: SecretBytes, _ deviceSecret: SecretBytes, _ account: AccountID
    ) throws(DerivationError) -> SecretBytes {
        try derive(stretched, deviceSecret, account, "mamd keybag account v1")
    }

    /// Distinguishes wrong passphrases. It helps an attacker no more than the keybag does.
    static func fingerprint(
        stretched: SecretBytes, _ deviceSecret: SecretBytes, _ account: AccountID
    ) throws(DerivationError) -> Bytes16 {
        let key = try derive(stretched, deviceSecret, account, "mamd wrong passphrase v1")
        return key.withBytes { Bytes16(reading: $0.bytes, at: 0) }
    }

    private static func derive(
        _ secret: SecretBytes, _ deviceSecret: SecretBytes, _ account: AccountID, _ info: String
    ) throws(DerivationError) -> SecretBytes {
        try Derivation.hkdf(
            input: .joining(secret, deviceSecret), salt: account.bytes, info: info)
    }
}

extension Keybag {
    /// Wraps all class keys again, authenticating the current fields.
    mutating func wrap(
        _ keys: ClassKeys, accountKey: SecretBytes, deviceKey: SecretBytes
    ) throws(SealError) {
        var wrapped = [UInt8](repeating: 0, count: KeybagOffset.wrappedKeys.count)
        for protectionClass in ProtectionClass.allCases {
            let key = protectionClass == .none ? deviceKey : accountKey
            var slot: InlineArray<64, UInt8> = .init(repeating: 0)
            try withAssociatedData(protectionClass) { data throws(SealError) in
                try withUnsafeMutableBytes(of: &slot) { slot throws(SealError) in
                    try KeyWrap.wrap(
                        keys[protectionClass], under: key, associatedData: data, into: slot)
                }
            }
            for (index, offset) in Self.wrappedRange(protectionClass).enumerated() {
                wrapped[offset] = slot[index]
            }
        }
        wrappedKeys = wrapped
    }

    /// Unwraps one class's key.
    func unwrap(
        _ protectionClass: ProtectionClass, under key: SecretBytes
    ) throws(SealError) -> SecretBytes {
        var slot: InlineArray<64, UInt8> = .init(repeating: 0)
        for (index, offset) in Self.wrappedRange(protectionClass).enumerated() {
            slot[index] = wrappedKeys[offset]
        }
        return try withAssociatedData(protectionClass) { data throws(SealError) in
            try withUnsafeBytes(of: &slot) { slot throws(SealError) in
                try KeyWrap.unwrap(slot, under: key, associatedData: data)
            }
        }
    }

    /// Unwraps D. Success proves that the keybag belongs to this device and is unchanged, apart
    /// from the other classes' wraps.
    func openDeviceKeys(_ deviceSecret: SecretBytes) throws(KeybagError) -> DeviceKeys {
        let keyD: SecretBytes
        do {
            keyD = try unwrap(.none, under: WrappingKey.device(deviceSecret, accountID))
        } catch { throw .foreign }
        do throws(KeyringError) {
            return DeviceKeys(d: keyD, joined: try others.openJoined(under: keyD, accountID))
        } catch { throw .keysDamaged }
    }
}

/// The keys of a keybag that open without a passphrase.
struct DeviceKeys: Sendable {
    let d: SecretBytes
    var joined: [OtherKeys.Key] = []
}
