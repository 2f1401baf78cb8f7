// Answers about identities.

internal import CShims
internal import MAMWire

/// The kernel's number of the calling thread.
var currentThread: Int32 { mam_thread_id() }

/// For whom a thread works.
public struct ActingIdentity: Sendable, Hashable {
    /// Why.
    public enum Source: String, Sendable, Hashable {
        /// It was set for the thread.
        case thread
        /// For its process, or for one that this was started by.
        case process
        /// It is the session's.
        case session
        /// It is the account that the user registered, or nobody.
        case `default`
    }

    /// The name, else the object id; empty for nobody.
    public let accountId: String
    /// It is a managed account.
    public let isManaged: Bool
    /// Why; nil for a reason that this version of the library does not know.
    public let source: Source?

    init(_ wire: Parameters) {
        accountId = MAMClient.accountId(wire)
        isManaged = (try? wire.bool("managed")) ?? false
        source = (try? wire.string("source")).flatMap { Source(rawValue: $0) }
    }
}

/// What came of a switch of the user interface's account: `IntuneMAMSwitchIdentityResult`.
public struct SwitchIdentityResult: Sendable, Hashable {
    /// The SDK's numbers.
    public enum Code: Int, Sendable, Hashable {
        /// The user works for it now.
        case success = 0
        /// The account is locked, and no passphrase was given.
        case canceled = 1
        /// A second managed account, or the thread works for somebody else.
        case notAllowed = 2
        /// Wrong passphrase, or blocked by policy.
        case failed = 3
    }

    /// The outcome.
    public let code: Code
    /// One sentence; empty for a success.
    public let reason: String

    init(_ wire: Parameters) throws(VarlinkError) {
        guard let code = Code(rawValue: try wire.integer("result")) else {
            throw .invalidParameter("result")
        }
        self.code = code
        reason = try wire.string("reason")
    }
}

/// An account that cannot be worked with now.
public struct BlockedAccount: Sendable, Hashable {
    /// The SDK's numbers.
    public enum Reason: Int, Sendable, Hashable {
        /// A condition of policy is not met.
        case launchBlocked = 1
        /// The caller's session gave its launch up.
        case canceled = 2
        /// The user is off the clock.
        case clockedOut = 3
    }

    /// Which.
    public let accountId: String
    /// Why.
    public let reason: Reason
    /// One sentence.
    public let text: String

    init(_ wire: Parameters) throws(VarlinkError) {
        guard let reason = Reason(rawValue: try wire.integer("reason")) else {
            throw .invalidParameter("reason")
        }
        self.reason = reason
        accountId = try wire.string("account")
        text = try wire.string("text")
    }
}
