// The result of switching identities.

internal import MAMCrypto
package import MAMIdentity
internal import MAMModel
internal import MAMSystem
internal import MAMVault

/// The result of a switch, with a sentence.
package struct IdentitySwitch: Sendable {
    package let result: SwitchResult
    package let reason: String
}
