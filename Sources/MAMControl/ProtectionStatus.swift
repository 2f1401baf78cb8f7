// The status codes of the Intune App SDK's protection managers, and their mapping from the
// workspace's errors.

internal import MAMModel
internal import MAMVault
internal import MAMWire

/// `IntuneMAMDataProtectionStatusCode`.
enum DataStatus: Int {
    case applicationNotManaged = 100
    case invalidArgument
    case encryptFailed
    case decryptFailed
    case notProtected
    case dataEmpty
}

/// `IntuneMAMFileProtectionStatusCode`.
enum FileStatus: Int {
    case applicationNotManaged = 100
    case invalidArgument
    case encryptionFailed
    case decryptionFailed
    case fileNotFound
    case pathIsDirectory
    case identityNotManaged
    case internalError

    /// `otherwise`: for an error that has no code of its own.
    init(_ cause: VarlinkError, otherwise: FileStatus) {
        switch cause.ofWorkspace {
        case .notFound: self = .fileNotFound
        case .notManaged, .unmanagedOwner: self = .identityNotManaged
        // nil: `InvalidParameter` is org.varlink.service's error.
        case .invalidInput, nil: self = .invalidArgument
        case .systemError: self = .internalError
        default: self = otherwise
        }
    }
}

extension VarlinkError {
    static func fileFailed(_ status: FileStatus, _ cause: VarlinkError) -> VarlinkError {
        let reason = cause.message
        return VarlinkError(
            Varlink.Protection.FileFailed(
                status: status.rawValue, name: "\(status)", cause: cause.lastName,
                account: cause.account, kind: cause.kind, reason: reason.english,
                words: reason.wire, next: cause.next))
    }

    static func dataFailed(_ status: DataStatus, _ cause: VarlinkError) -> VarlinkError {
        let reason = cause.message
        return VarlinkError(
            Varlink.Protection.DataFailed(
                status: status.rawValue, name: "\(status)", cause: cause.lastName,
                account: cause.account, kind: cause.kind, reason: reason.english,
                words: reason.wire, next: cause.next))
    }

    /// That it is about.
    var account: String? { parameters["account"]?.text }
    /// Of a block.
    var kind: String? { parameters["kind"]?.text }
}
