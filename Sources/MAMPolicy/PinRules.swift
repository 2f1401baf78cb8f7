// The rules for a PIN or passphrase, and the consequences of wrong ones.

/// The PIN settings of one account's policy, with the admin centre's defaults.
package struct PinRules: Sendable, Equatable {
    package var isRequired = false
    /// The device's own lock replaces it.
    package var yieldsToDeviceLock = false
    /// In characters.
    package var minimumLength = 4
    package var characters = PinCharacters.numeric
    package var blocksSimple = false
    /// Simple sequences are allowed beside this many characters that continue none; nil: never.
    package var longLength: Int?
    /// How many of the last ones may not be reused.
    package var previousBlockCount = 0
    /// Nil: never.
    package var expirySeconds: Int64?
    package var maximumRetries = 5
    package var actionAfterRetries = LaunchAction.block
    package var allowsFingerprint = true
    package var allowsFace = true
    /// After this time biometrics do not suffice; nil: always enough.
    package var biometricOverrideSeconds: Int64?
    /// The account's own credentials are required too.
    package var requiresCredentials = false

    package init() {}
}

extension EffectivePolicy {
    package var pin: PinRules {
        var pin = PinRules()
        pin.isRequired = rules.pinRequired == true
        pin.yieldsToDeviceLock = rules.disableAppPinIfDevicePinIsSet == true
        pin.minimumLength = rules.minimumPinLength ?? pin.minimumLength
        pin.characters = rules.pinCharacterSet ?? pin.characters
        pin.blocksSimple = rules.simplePinBlocked == true
        pin.longLength = rules.mamdLongPinLength.flatMap { $0 < Self.neverLong ? $0 : nil }
        pin.previousBlockCount = max(0, rules.previousPinBlockCount ?? 0)
        pin.expirySeconds = Self.unlessZero(rules.periodBeforePinReset)
        // At least one try must remain possible.
        pin.maximumRetries = max(1, rules.maximumPinRetries ?? pin.maximumRetries)
        pin.actionAfterRetries =
            rules.appActionIfMaximumPinRetriesExceeded == .wipe ? .wipe : .block
        pin.allowsFingerprint = rules.fingerprintBlocked != true
        pin.allowsFace = rules.faceIdBlocked != true
        pin.biometricOverrideSeconds = Self.unlessZero(rules.pinRequiredInsteadOfBiometricTimeout)
        pin.requiresCredentials = rules.organizationalCredentialsRequired == true
        return pin
    }

    /// The value of `mamdLongPinLength` for documents that block simple PINs of any length.
    static let neverLong = 65_535

    private static func unlessZero(_ duration: PolicyDuration?) -> Int64? {
        duration.flatMap { $0.seconds > 0 ? $0.seconds : nil }
    }
}
