// io.mamd.Protection over the vault and the mount.

internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault
package import MAMWire

/// Implements the interface. Stateless.
package struct ProtectionInterface: VaultInterface {
    typealias Wire = Varlink.Protection

    let tree: Tree

    package init(tree: Tree) {
        self.tree = tree
    }

    package func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        switch try call.method(of: Wire.Method.self) {
        case .protect: try protect(call, onlyIfOther: false)
        case .verifyAndProtect: try protect(call, onlyIfOther: true)
        case .encryptFile: try encryptFile(call)
        case .decryptFile: try decryptFile(call)
        case .isFileEncrypted: try isFileEncrypted(call)
        case .protectData: try protectData(call)
        case .unprotectData: try unprotectData(call)
        case .dataInfo: try dataInfo(call)
        case .protectString: try protectString(call)
        case .unprotectString: try unprotectString(call)
        case .stringInfo: try stringInfo(call)
        }
    }

    package func cost(of method: String) -> CallCost {
        switch Wire.Method(rawValue: method) {
        case .protect, .verifyAndProtect, .encryptFile, .decryptFile, .protectData,
            .unprotectData, .dataInfo:
            .long
        case .isFileEncrypted, .protectString, .unprotectString, .stringInfo, nil: .short
        }
    }
}

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

    /// The account that the error is about.
    var account: String? { parameters["account"]?.text }
    /// The kind of the block that the error is about.
    var kind: String? { parameters["kind"]?.text }
}
