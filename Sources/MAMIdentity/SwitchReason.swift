// Why a session should show another identity.

/// `IntuneMAMIdentitySwitchReason`.
package enum SwitchReason: Int, Sendable {
    /// A link is opened for the account.
    case openURL
    /// The launch of an account was cancelled.
    case launchCanceled
    /// A document of the account was imported.
    case documentImport
}
