// The rules for a PIN or passphrase, and the consequences of wrong ones.

internal import Glibc

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
    /// The account is locked out at this many.
    package var maximumRetries = 5
    /// The account is wiped at this many; nil: never.
    package var wipesAfter: Int?
    /// After too long offline it is wiped at this many; nil: never.
    package var wipesOfflineAfter: Int?
    package var allowsFingerprint = true
    package var allowsFace = true
    /// After this time biometrics do not suffice; nil: always enough.
    package var biometricOverrideSeconds: Int64?
    /// The account's own credentials are required too.
    package var requiresCredentials = false

    package init() {}

    /// Whether a changed passphrase must open nothing any more, nor another one beside it.
    package var limitsChanges: Bool {
        previousBlockCount > 0 || isRequired && expirySeconds != nil
    }
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
        let retries = { (rules: PolicyRules) in
            // At least one try must remain possible.
            max(1, rules.maximumPinRetries ?? PinRules().maximumRetries)
        }
        pin.maximumRetries = retries(rules)
        let isWiped =
            wipeRules.pinRequired == true
            && wipeRules.appActionIfMaximumPinRetriesExceeded == .wipe
        pin.wipesAfter = isWiped ? retries(wipeRules) : nil
        pin.wipesOfflineAfter = offlineWipeSeconds == nil ? nil : retries(wipeRules)
        pin.allowsFingerprint = rules.fingerprintBlocked != true
        pin.allowsFace = rules.faceIdBlocked != true
        pin.biometricOverrideSeconds = Self.unlessZero(rules.pinRequiredInsteadOfBiometricTimeout)
        pin.requiresCredentials = rules.organizationalCredentialsRequired == true
        return pin
    }

    /// The value of `mamdLongPinLength` for documents that block simple PINs of any length.
    static let neverLong = 65_535
}

// How long the weakest passphrase that policy allows withstands guessing by someone with the disk.
extension PinRules {
    /// One guess takes 256 MiB of Argon2id in three passes, about a second on one processor.
    /// Assumes a thousand of these, or a few graphics cards.
    package static let guessesPerSecond = 1000.0

    private static let monthSeconds = 30.0 * 86_400

    /// The number of passphrases of the minimum length from the smallest permitted set: that many
    /// guesses find any that was chosen at random. People's own choices fall sooner. 1: none is
    /// required.
    package var guesses: Double {
        guard isRequired, minimumLength > 0 else { return 1 }
        let count = Double(minimumLength)
        guard blocksSimple || characters == .alphanumericAndSymbol else { return pow(10, count) }
        // About one window of three in 38 is simple.
        let allowed = blocksSimple ? pow(1 - 0.026, max(0, count - 2)) : 1
        guard characters == .alphanumericAndSymbol else { return allowed * pow(10, count) }
        // All digits except one letter, or a letter and a symbol, in any position.
        return blocksSimple
            ? allowed * max(1, count * (count - 1)) * 26 * 33 * pow(10, max(0, count - 2))
            : count * 26 * pow(10, count - 1)
    }

    /// Seconds until guessing finds any of them; nil: over a month.
    package var guessableSeconds: Int? {
        let seconds = guesses / Self.guessesPerSecond
        return seconds < Self.monthSeconds ? Int(seconds) : nil
    }
}
