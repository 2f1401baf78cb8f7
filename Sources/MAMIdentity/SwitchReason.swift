// Why a session is to show another identity.

/// `IntuneMAMIdentitySwitchReason`.
package enum SwitchReason: Int, Sendable {
    /// A link is opened for the account.
    case openURL
    /// The launch of an account was given up.
    case launchCanceled
    /// A document of the account's came.
    case documentImport
}
