// How a switch of identities ended.

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
