// Answers about identities.

internal import CShims
internal import MAMWire

/// The kernel's id of the calling thread.
var currentThread: Int { Int(mam_thread_id()) }

/// The identity that a thread acts for.
public struct ActingIdentity: Sendable, Hashable {
    /// Where it comes from.
    public enum Source: String, Sendable, Hashable {
        /// It was set for the thread.
        case thread
        /// It was set for its process, or one of that process's ancestors.
        case process
        /// It is the login session's.
        case session
        /// It is the account that the user registered, or nobody.
        case `default`
    }

    /// The name, else the object id; empty for nobody.
    public let accountId: String
    /// Whether it is a managed account.
    public let isManaged: Bool
    /// Where it comes from; nil for a source that this version of the library does not know.
    public let source: Source?

    init(_ wire: Varlink.Identity.Acting) {
        accountId = wire.name.isEmpty ? wire.objectID : wire.name
        isManaged = wire.managed
        source = Source(rawValue: wire.source.rawValue)
    }
}

/// The result of switching the user interface's account: `IntuneMAMSwitchIdentityResult`.
public struct SwitchIdentityResult: Sendable, Hashable {
    /// The SDK's numbers.
    public enum Code: Int, Sendable, Hashable {
        /// The user now works for the account.
        case success = 0
        /// The account is locked, and no passphrase was given.
        case canceled = 1
        /// It would be a second managed account, or the thread acts for another.
        case notAllowed = 2
        /// Wrong passphrase, or blocked by policy.
        case failed = 3
    }

    /// The outcome.
    public let code: Code
    /// One sentence; empty on success.
    public let reason: String

    init(_ wire: Varlink.Identity.SetUserInterfaceIdentity.Reply) throws(VarlinkError) {
        guard let code = Code(rawValue: wire.result) else { throw .invalidParameter("result") }
        self.code = code
        reason = wire.reason
    }
}

/// An account that cannot be used now.
public struct BlockedAccount: Sendable, Hashable {
    /// The SDK's numbers.
    public enum Reason: Int, Sendable, Hashable {
        /// A condition of policy is not met.
        case launchBlocked = 1
        /// Its launch was cancelled in the caller's session.
        case canceled = 2
        /// The user is off the clock.
        case clockedOut = 3
    }

    /// The account.
    public let accountId: String
    /// Why.
    public let reason: Reason
    /// One sentence.
    public let text: String

    init(_ wire: Varlink.Identity.BlockedAccount) throws(VarlinkError) {
        guard let reason = Reason(rawValue: wire.reason) else { throw .invalidParameter("reason") }
        self.reason = reason
        accountId = wire.account
        text = wire.text
    }
}
