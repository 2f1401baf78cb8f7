// The status codes of the Intune App SDK's protection managers, around the errors that the
// workspace has anyway.

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

    /// `otherwise`: for an error that none of them names.
    init(_ cause: VarlinkError, otherwise: FileStatus) {
        switch cause.ofWorkspace {
        case .notFound: self = .fileNotFound
        case .notManaged, .unmanagedOwner: self = .identityNotManaged
        // An invalid parameter is of the service's.
        case .invalidInput, nil: self = .invalidArgument
        case .systemError: self = .internalError
        default: self = otherwise
        }
    }
}

extension VarlinkError {
    static func fileFailed(_ status: FileStatus, _ cause: VarlinkError) -> VarlinkError {
        VarlinkError(
            Varlink.Protection.FileFailed(
                status: status.rawValue, name: "\(status)", cause: cause.lastName,
                account: cause.account, reason: "\(cause)", next: cause.next))
    }

    static func dataFailed(_ status: DataStatus, _ cause: VarlinkError) -> VarlinkError {
        VarlinkError(
            Varlink.Protection.DataFailed(
                status: status.rawValue, name: "\(status)", cause: cause.lastName,
                account: cause.account, reason: "\(cause)", next: cause.next))
    }

    private var account: String? { parameters["account"]?.text }
}
