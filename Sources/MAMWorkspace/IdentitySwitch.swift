// The result of switching identities.

internal import MAMCrypto
internal import MAMIdentity
internal import MAMModel
internal import MAMSystem
internal import MAMVault

/// The result of a switch, with a sentence.
package struct IdentitySwitch: Sendable {
    package let result: SwitchResult
    package let reason: String
}

/// `IntuneMAMSwitchIdentityResult`.
package enum SwitchResult: Int, Sendable {
    case success, canceled, notAllowed, failed

    package var word: String {
        switch self {
        case .success: "success"
        case .canceled: "canceled"
        case .notAllowed: "notAllowed"
        case .failed: "failed"
        }
    }
}
