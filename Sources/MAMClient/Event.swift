// One event of a watch.

internal import MAMModel
internal import MAMWire

/// Something that happened to an account, or to the workspace.
public struct Event: Sendable, Hashable {
    /// What it is. The raw value is the word on the socket.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// In ``Event/seconds``; 0 is now. Save what is open, and show it no longer.
        case willBecomeUnavailable = "will-become-unavailable"
        /// The account's files are closed.
        case unavailable
        /// They can be read.
        case available
        /// Policy keeps the account closed: ``Event/detail`` is the kind, ``Event/reason`` says
        /// why.
        case blocked
        /// It does not any more.
        case unblocked
        /// `IntuneMAMWipeDidCompleteNotification`: forget all that is left of the account.
        case wiped
        /// `IntuneMAMPolicyDidChangeNotification`: ask again.
        case policyChanged = "policy-changed"
        /// `IntuneMAMAppConfigDidChangeNotification`.
        case appConfigChanged = "app-config-changed"
        /// `IntuneMAMDataProtectionDidChangeNotification`: protect again what was protected.
        case dataProtectionChanged = "data-protection-changed"
        /// A condition of policy is not met, and policy only warns.
        case launchWarning = "launch-warning"
        /// `IntuneMAMEnrollmentDelegate`: ``Event/detail`` is `enrollment`, `policy` or `unenroll`.
        case enrollmentStatus = "enrollment-status"
        /// The policies were read, or could not be.
        case checkIn = "check-in"
        /// `IntuneMAMUserStatusDidChangeNotification`.
        case userStatusChanged = "user-status-changed"
        /// `IntuneMAMComplianceDelegate`.
        case complianceStatus = "compliance-status"
        /// A program that works for the account should start anew.
        case restartRequired = "restart-required"
        /// `identitySwitchRequired`: in ``Event/session`` show the data of ``Event/subject``, or of
        /// nobody managed if that is empty. ``Event/code``: 0 a link is opened for it, 1 a launch
        /// was canceled, 2 a document of its came.
        case identitySwitchRequired = "identity-switch-required"
        /// `IntuneMAMSDKDidTakeOverUINotification`.
        case uiTaken = "ui-taken"
        /// `IntuneMAMSDKDidReleaseUINotification`.
        case uiReleased = "ui-released"
        /// A document of the policy directory is not in force.
        case policyRefused = "policy-refused"
        /// `IntuneMAMAllowedAccountsDidChangeNotification`.
        case allowedAccountsChanged = "allowed-accounts-changed"
        /// `addAccountId`: policy names an account that nobody registered, ``Event/subject``.
        case accountToAdd = "account-to-add"
    }

    /// The word on the socket.
    public let word: String
    /// What it is; nil for a word that a later daemon knows: pass over it.
    public var kind: Kind? { Kind(rawValue: word) }
    /// The account, as it is when this is sent; nil for what happens to the workspace.
    public let account: Account?
    /// How soon.
    public let seconds: Int?
    /// The kind of a block, or of a request.
    public let detail: String?
    /// One sentence.
    public let reason: String?
    /// The SDK's number.
    public let code: Int?
    /// What came of a request.
    public let succeeded: Bool?
    /// The login session.
    public let session: String?
    /// The document, or the account's name, where the event is about one.
    public let subject: String?

    init(_ wire: Varlink.Workspace.Event) {
        word = wire.event
        account = wire.account.map { Account($0) }
        seconds = wire.seconds
        detail = wire.kind
        reason = wire.reason
        code = wire.code
        succeeded = wire.succeeded
        session = wire.session
        subject = wire.document ?? wire.name
    }
}
