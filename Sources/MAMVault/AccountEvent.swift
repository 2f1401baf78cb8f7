// The events that a workspace sends to listeners. Their words and members on the wire are in one
// table in MAMControl, WorkspaceInterface+Watch.

package import MAMIdentity
package import MAMModel

/// Something that happened to an account, or to the workspace.
package struct AccountEvent: Sendable {
    /// The numbers are those of the Intune SDK.
    package enum Kind: Sendable, Equatable {
        // The files of the classes that a lock closes.
        /// In this many seconds; 0: now.
        case willBecomeUnavailable(seconds: Int)
        case unavailable
        /// Nobody has used the account: it locks in this many seconds, unless somebody does.
        case idleLockDue(seconds: Int)
        /// Somebody has.
        case idleLockAverted
        case available
        /// Policy blocks it.
        case blocked(AccountBlock)
        case unblocked
        /// It was wiped, including all its files.
        case wiped

        // Policy.
        /// Its policy changed, or the set of documents that cover it.
        case policyChanged
        /// Data that it protected itself should be protected again: its class or its keys changed.
        case dataProtectionChanged
        case appConfigurationChanged
        /// A condition of policy is not met, but policy only warns; a sentence.
        case launchWarning(Message)

        // Enrolment.
        case enrollment(Enrollment)
        /// The policy source was read for it, or failed to be; then a sentence.
        case checkedIn(failure: String?)
        /// Working time: 0 not configured, 1 unknown, 2 in, 3 out, 4 in and 5 out, both long ago.
        case userStatusChanged(Int)
        /// Result of a compliance check: 0 compliant, 1 not, 2 service failure, 3 network failure,
        /// 4 interaction required, 5 canceled.
        case complianceChecked(Int)
        /// A program that works for the account should restart; the mount need not.
        case restartRequired

        // The user interface of a login session.
        /// A program that shows accounts' data in that session should switch to this one, or with
        /// an empty name to none. Concerns the account whose launch was cancelled, else the one to
        /// show, if any.
        case identitySwitchRequired(session: String, to: String, because: SwitchReason)
        /// The account's passphrase or conditions are being requested in a session.
        case uiTaken(session: String)
        case uiReleased(session: String)

        // The workspace: events without an account.
        /// A policy document is not in force; a sentence.
        case policyRefused(document: String, reason: String)
        /// `AllowedAccounts` in the settings.
        case allowedAccountsChanged
        /// The backing directory was deleted.
        case backingGone
        /// Policy names an account that nobody has registered.
        case accountToAdd(String)
    }

    /// The result of an enrolment request.
    package struct Enrollment: Sendable, Equatable {
        package enum Request: String, Sendable {
            case enrollment, policy, unenroll
        }

        package let request: Request
        package let succeeded: Bool
        package let code: Int
        package let reason: String?

        package init(_ request: Request, succeeded: Bool, code: Int, reason: String? = nil) {
            self.request = request
            self.succeeded = succeeded
            self.code = code
            self.reason = reason
        }
    }

    package let kind: Kind
    /// Nil for events of the workspace.
    package let account: AccountID?
    /// Its last status, if the account no longer exists.
    package var last: AccountStatus?
}
