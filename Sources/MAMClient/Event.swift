// One event of a watch.

internal import MAMModel
internal import MAMWire

/// An event of an account, or of the workspace.
public struct Event: Sendable, Hashable {
    /// The kind. The raw value is the word on the socket.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// In ``Event/seconds``; 0 is now. Save open data, and stop showing it.
        case willBecomeUnavailable = "will-become-unavailable"
        /// Nobody has used the account: it locks in ``Event/seconds``, unless somebody does.
        case idleLockDue = "idle-lock-due"
        /// Somebody has.
        case idleLockAverted = "idle-lock-averted"
        /// The account's files are closed.
        case unavailable
        /// The account's files can be read.
        case available
        /// Policy blocks the account: ``Event/detail`` is the kind, ``Event/reason`` says why.
        case blocked
        /// The block has ended.
        case unblocked
        /// `IntuneMAMWipeDidCompleteNotification`: delete everything that is left of the account.
        case wiped
        /// `IntuneMAMPolicyDidChangeNotification`: ask policy again.
        case policyChanged = "policy-changed"
        /// `IntuneMAMAppConfigDidChangeNotification`.
        case appConfigChanged = "app-config-changed"
        /// `IntuneMAMDataProtectionDidChangeNotification`: protect data again.
        case dataProtectionChanged = "data-protection-changed"
        /// A condition of policy is not met, but policy only warns.
        case launchWarning = "launch-warning"
        /// `IntuneMAMEnrollmentDelegate`: ``Event/detail`` is `enrollment`, `policy` or `unenroll`.
        case enrollmentStatus = "enrollment-status"
        /// The policies were read, or failed to be.
        case checkIn = "check-in"
        /// `IntuneMAMUserStatusDidChangeNotification`.
        case userStatusChanged = "user-status-changed"
        /// `IntuneMAMComplianceDelegate`.
        case complianceStatus = "compliance-status"
        /// A program that works for the account should restart.
        case restartRequired = "restart-required"
        /// `identitySwitchRequired`: in ``Event/session`` show the data of ``Event/subject``, or no
        /// managed data if that is empty. ``Event/code``: 0 a link is opened for it, 1 a launch was
        /// cancelled, 2 a document of the account arrived.
        case identitySwitchRequired = "identity-switch-required"
        /// `IntuneMAMSDKDidTakeOverUINotification`.
        case uiTaken = "ui-taken"
        /// `IntuneMAMSDKDidReleaseUINotification`.
        case uiReleased = "ui-released"
        /// A document of the policy directory is not in force.
        case policyRefused = "policy-refused"
        /// `IntuneMAMAllowedAccountsDidChangeNotification`.
        case allowedAccountsChanged = "allowed-accounts-changed"
        /// The backing directory was deleted while it is mounted: what is written is lost.
        case backingGone = "backing-gone"
        /// `addAccountId`: policy names ``Event/subject``, an account that nobody has registered.
        case accountToAdd = "account-to-add"
    }

    /// The word on the socket.
    public let word: String
    /// The kind; nil for a word that only a later version knows: ignore it.
    public var kind: Kind? { Kind(rawValue: word) }
    /// The account when the event was sent; nil for an event of the workspace.
    public let account: Account?
    /// How many seconds remain.
    public let seconds: Int?
    /// The kind of a block, or of a request.
    public let detail: String?
    /// One sentence.
    public let reason: String?
    /// The SDK's number.
    public let code: Int?
    /// The result of a request.
    public let succeeded: Bool?
    /// The login session.
    public let session: String?
    /// The document or the account's name, if the event concerns one.
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
