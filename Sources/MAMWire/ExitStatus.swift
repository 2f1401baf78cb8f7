// One number per kind of failure, for scripts.

internal import Glibc
package import MAMModel
internal import MAMSystem

/// The exit status of `mamctl`.
package enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Done, or the answer is "yes".
    case success = 0
    /// A failure without a status of its own, or the answer is "no".
    case failure = 1
    case usage = 2
    case notFound = 3
    case notManaged = 4
    case windowClosed = 5
    case refused = 6
    case damaged = 7
    case unreachable = 8
    case unreadable = 9
    case attention = 10
    case wrongPassphrase = 12

    /// The status's line in the manual.
    package var meaning: Message {
        switch self {
        case .success: "done, or yes"
        case .failure: "failure, or no"
        case .usage: "invalid command line or input"
        case .notFound: "no such file, account or workspace"
        case .notManaged: "the file or the named owner is not managed"
        case .windowClosed: "the account is locked"
        case .refused: "refused by policy"
        case .damaged: "the file is damaged"
        case .unreachable: "no daemon answers"
        case .unreadable: "permissions keep the daemon from reading a file"
        case .attention: "something needs attention"
        case .wrongPassphrase: "wrong passphrase"
        }
    }
}

extension ExitStatus {
    /// The status for an error from the daemon.
    package init(_ error: VarlinkError) {
        switch error.ofWorkspace {
        case .unknownAccount, .notFound: self = .notFound
        case .wrongPassphrase, .notTried: self = .wrongPassphrase
        case .windowClosed, .blocked: self = .windowClosed
        case .notManaged, .unmanagedOwner: self = .notManaged
        case .damaged: self = .damaged
        case .refused, .sealedFiles: self = .refused
        case .invalidInput: self = .usage
        case .systemError: self.init(errno: error.parameters["errno"]?.integer ?? 0)
        case .accountExists: self = .failure
        // `InvalidParameter`: the command line should have refused it.
        case nil: self = error.name == VarlinkError.invalidParameter("").name ? .usage : .failure
        }
    }

    /// The status for a system call's error number.
    package init(errno: Int64) {
        let error = Errno(rawValue: Int32(truncatingIfNeeded: errno))
        switch error.rawValue {
        case ENOENT: self = .notFound
        case ENOKEY, EKEYEXPIRED: self = .windowClosed
        case EBADMSG: self = .damaged
        case _ where error.meansDeadDaemon: self = .unreachable
        default: self = .failure
        }
    }

    /// The status for a failed call.
    package init(_ failure: VarlinkClient.Failure) {
        switch failure {
        case .unreachable, .silent, .disconnected: self = .unreachable
        case .foreign, .secretForOthers: self = .refused
        case .malformed, .unknownReply: self = .failure
        case .refused(let error): self.init(error)
        }
    }
}
