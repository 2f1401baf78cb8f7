// What a slot to be added opens by.

package import MAMCrypto

/// A secret to be added.
package enum NewSlot: Sendable {
    case passphrase(SecretBytes)
    case recovery(SecretBytes)
    /// Bit N of `pcrs`: opens only while PCR N is as it is now.
    case tpm(pin: SecretBytes?, pcrs: UInt32)

    /// What a person types; nil for nothing.
    package var secret: SecretBytes? {
        switch self {
        case .passphrase(let secret), .recovery(let secret): secret
        case .tpm(let pin, _): pin
        }
    }

    package var kind: KeySlot.Kind {
        switch self {
        case .passphrase: .passphrase
        case .recovery: .recovery
        case .tpm: .tpm
        }
    }
}
