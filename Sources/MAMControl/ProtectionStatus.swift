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
        switch cause.lastName {
        case "NotFound": self = .fileNotFound
        case "NotManaged", "UnmanagedOwner": self = .identityNotManaged
        case "InvalidInput", "InvalidParameter": self = .invalidArgument
        case "SystemError": self = .internalError
        default: self = otherwise
        }
    }
}

extension VarlinkError {
    static func fileFailed(_ status: FileStatus, _ cause: VarlinkError) -> VarlinkError {
        failed("FileFailed", status.rawValue, "\(status)", cause)
    }

    static func dataFailed(_ status: DataStatus, _ cause: VarlinkError) -> VarlinkError {
        failed("DataFailed", status.rawValue, "\(status)", cause)
    }

    private static func failed(
        _ error: String, _ status: Int, _ name: String, _ cause: VarlinkError
    ) -> VarlinkError {
        var parameters = cause.parameters
        parameters["status"] = JSONValue(status)
        parameters["name"] = .string(name)
        parameters["cause"] = .string(cause.lastName)
        parameters["reason"] = .string("\(cause)")
        for key in ["kind", "errno", "retryAfterSeconds"] { parameters[key] = nil }
        return VarlinkError("\(Varlink.Protection.name).\(error)", parameters)
    }
}
