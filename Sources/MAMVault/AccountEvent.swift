// What a workspace tells whoever listens. Its words and members on the wire are one table in
// MAMControl, EventReport.

package import MAMIdentity
package import MAMModel

/// Something that happened to an account, or to the workspace.
package struct AccountEvent: Sendable {
    /// The numbers are the SDK's.
    package enum Kind: Sendable, Equatable {
        // The files of the classes that a lock closes.
        /// In so many seconds; 0: now.
        case willBecomeUnavailable(seconds: Int)
        case unavailable
        case available
        /// Policy keeps it closed.
        case blocked(AccountBlock)
        case unblocked
        /// It is destroyed, and all its files are gone.
        case wiped

        // What is asked of the account.
        /// Its policy, or which documents cover it.
        case policyChanged
        /// What it protected by itself should be protected again: its class or its keys changed.
        case dataProtectionChanged
        case appConfigurationChanged
        /// A condition of policy is not met, and policy only warns; a sentence.
        case launchWarning(String)

        // Enrolment.
        case enrollment(Enrollment)
        /// The policy source was read for it, or could not be; a sentence for the latter.
        case checkedIn(failure: String?)
        /// On or off the clock: 0 not configured, 1 unknown, 2 in, 3 out, 4 in and 5 out, both long
        /// ago.
        case userStatusChanged(Int)
        /// Result of a compliance check: 0 compliant, 1 not, 2 service failure, 3 network failure,
        /// 4 interaction required, 5 canceled.
        case complianceChecked(Int)
        /// A program that works for the account should start anew; the mount needs no restart.
        case restartRequired

        // The user interface of a login session.
        /// Who shows accounts' data there should show this one's, or with an empty name nobody's.
        /// Of the account whose launch was canceled, else of the one to show, if there is one.
        case identitySwitchRequired(session: String, to: String, because: SwitchReason)
        /// The account's passphrase or conditions are being asked for in a session.
        case uiTaken(session: String)
        case uiReleased(session: String)

        // The workspace: events without an account.
        /// A document of the policy directory is not in force; a sentence.
        case policyRefused(document: String, reason: String)
        /// `AllowedAccounts` in the settings.
        case allowedAccountsChanged
        /// Policy names an account that nobody registered.
        case accountToAdd(String)
    }

    /// What came of a request of enrolment.
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
    /// Nil for what happens to the workspace.
    package let account: AccountID?
    /// As it was, of an account that is not here any more.
    package var last: AccountStatus?
}
