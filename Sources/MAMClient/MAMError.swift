// The error type of this library, with the SDK's number if there is one.

internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Why a call was refused or failed.
public struct MAMError: Error, Sendable, Hashable {
    /// For programs to decide by.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// No daemon answers: the workspace is not mounted, or the daemon has ended.
        case unreachable
        /// Several workspaces are running, or none has that name.
        case noWorkspace
        /// No account has this name or object id.
        case unknownAccount
        /// An account with this name or object id is registered already.
        case accountExists
        /// The passphrase is wrong; see ``MAMError/retryAfterSeconds``.
        case wrongPassphrase
        /// The account is locked: ask for its passphrase and unlock it.
        case windowClosed
        /// Policy blocks the account; the reason includes the next step.
        case blocked
        /// The file or identity has no managed owner.
        case notManaged
        /// The owner is not a registered account, and the call does not permit that.
        case unmanagedOwner
        /// There is no such file.
        case notFound
        /// Content or header fail verification.
        case damaged
        /// Policy or the caller's permissions forbid it.
        case refused
        /// The parameters are invalid.
        case invalidInput
        /// A system call failed; see ``MAMError/systemErrorNumber``.
        case systemError
        /// This version of the library does not understand the reply.
        case unknownAnswer
    }

    /// What kind of failure.
    public let code: Code
    /// One sentence for the user.
    public let reason: String
    /// A command that helps, if the daemon knows one.
    public let next: String?
    /// The account that it concerns, if any.
    public let account: String?
    /// `IntuneMAMFileProtectionStatusCode` or `IntuneMAMDataProtectionStatusCode` of the protection
    /// managers' calls.
    public let statusCode: Int?
    /// Seconds until another passphrase is accepted; 0: now.
    public let retryAfterSeconds: Int
    /// `errno` for ``Code/systemError``; otherwise 0.
    public let systemErrorNumber: Int32
}

extension MAMError: CustomStringConvertible {
    /// The reason.
    public var description: String { reason }
}

extension MAMError {
    init(_ code: Code, _ reason: String, systemErrorNumber: Int32 = 0) {
        self.init(
            code: code, reason: reason, next: nil, account: nil, statusCode: nil,
            retryAfterSeconds: 0, systemErrorNumber: systemErrorNumber)
    }

    /// The daemon's refusal.
    init(_ error: VarlinkError) {
        let cause = error.workspaceError
        let parameters = error.parameters
        self.init(
            code: Self.code(of: cause), reason: cause.description,
            next: error.next, account: parameters["account"]?.text,
            statusCode: parameters["status"]?.integer.flatMap { Int(exactly: $0) },
            retryAfterSeconds: parameters["retryAfterSeconds"]?.integer.flatMap { Int(exactly: $0) }
                ?? 0,
            systemErrorNumber: parameters["errno"]?.integer.flatMap { Int32(exactly: $0) } ?? 0)
    }

    private static func code(of error: VarlinkError) -> Code {
        switch error.ofWorkspace {
        case .unknownAccount: .unknownAccount
        case .accountExists: .accountExists
        case .wrongPassphrase, .notTried: .wrongPassphrase
        case .windowClosed: .windowClosed
        case .blocked: .blocked
        case .notManaged: .notManaged
        case .unmanagedOwner: .unmanagedOwner
        case .notFound: .notFound
        case .damaged: .damaged
        case .refused, .sealedFiles: .refused
        case .invalidInput: .invalidInput
        case .systemError: .systemError
        case nil: error.lastName == "InvalidParameter" ? .invalidInput : .unknownAnswer
        }
    }

    init(_ failure: VarlinkClient.Failure) {
        switch failure {
        case .unreachable(let path, let error):
            self.init(.unreachable, "no daemon answers at \(path): \(error)")
        case .foreign(let path, let user):
            self.init(
                .refused, "a process of uid \(user) listens at \(path); nothing was sent to it")
        case .secretForOthers(let user):
            self.init(
                .refused,
                "uid \(user) serves it and must not receive another user's"
                    + " passphrase")
        case .silent(let process):
            self.init(.unreachable, "the daemon, process \(process), does not answer")
        case .disconnected: self.init(.unreachable, "the daemon ended the connection")
        case .malformed: self.init(.unknownAnswer, "the daemon does not speak varlink")
        case .refused(let error): self.init(error)
        case .unknownReply(let error): self = .unknownAnswer(error)
        }
    }

    /// A failed system call of this library.
    init(_ subject: String, _ error: Errno) {
        let code: Code =
            switch error {
            case .noEntry: .notFound
            case .noKey, .keyExpired: .windowClosed
            case .badMessage: .damaged
            case .accessDenied: .refused
            case _ where error.meansDeadDaemon: .unreachable
            default: .systemError
            }
        self.init(code, "\(subject): \(error)", systemErrorNumber: error.rawValue)
    }

    /// A reply without an expected member.
    static func unknownAnswer(_ error: VarlinkError) -> MAMError {
        MAMError(.unknownAnswer, "cannot parse the daemon's answer: \(error)")
    }
}
