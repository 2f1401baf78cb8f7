// The protection of a file or buffer.

internal import MAMModel
internal import MAMWire

/// An owner and the protection. The SDK reports only the account.
public struct ProtectionInfo: Sendable, Hashable {
    /// Apple's Data Protection classes, by their letters.
    public enum FileClass: String, Sendable, Hashable {
        /// Readable while unlocked.
        case complete = "A"
        /// Readable while unlocked; an open file stays open, and files can be created while locked.
        case completeUnlessOpen = "B"
        /// Readable from the first unlock until the daemon ends.
        case completeUntilFirstUserAuthentication = "C"
        /// Always readable on this device.
        case none = "D"
    }

    /// Whether the content can be read.
    public enum State: String, Sendable, Hashable {
        /// It has no owner.
        case foreign
        /// It names an unmanaged owner; the content is plain.
        case unmanaged
        /// It names an account, but the content is plain.
        case unsealed
        /// Encrypted, and its account is unlocked.
        case available
        /// Encrypted, and its account is locked.
        case closed
        /// Encrypted for an account whose keys are not on this device.
        case keyMissing
        /// The header does not verify.
        case damaged
        /// Written by a newer version of mamd.
        case newer
        /// A directory: the record says what its new files get.
        case directory
    }

    /// The owner's name, else the object id; empty for nobody.
    public var accountId: String { ownerName.isEmpty ? ownerObjectId : ownerName }
    /// The owner's user principal name.
    public let ownerName: String
    /// The owner's object id in the directory.
    public let ownerObjectId: String
    /// Whether the owner is a managed account.
    public let isManaged: Bool
    /// The class in the header; nil if not encrypted.
    public let fileClass: FileClass?
    /// The class after policy and ceiling.
    public let effectiveClass: FileClass?
    /// Whether it can be read.
    public let state: State
    /// One sentence that explains the state.
    public let reason: String

    init(_ wire: Varlink.Workspace.Protection) throws(VarlinkError) {
        let info = try FileProtection(wire)
        ownerName = info.owner.name
        ownerObjectId = info.owner.objectID
        isManaged = info.isManaged
        fileClass = info.fileClass.flatMap { FileClass(rawValue: $0.letter) }
        effectiveClass = info.effectiveClass.flatMap { FileClass(rawValue: $0.letter) }
        state =
            switch info.state {
            case .foreign: .foreign
            case .unmanaged: .unmanaged
            case .unsealed: .unsealed
            case .available: .available
            case .closed: .closed
            case .keyMissing: .keyMissing
            case .damaged: .damaged
            case .newer: .newer
            case .directory: .directory
            }
        reason = info.reason.english
    }

    /// Nil for a file without an owner.
    init?(ofFile wire: Varlink.Workspace.Protection) throws(VarlinkError) {
        try self.init(wire)
        if state == .foreign { return nil }
    }
}

/// The result of protecting a file, or every file below a directory.
public struct ProtectionSummary: Sendable, Hashable {
    /// A file below a directory that could not be given to the account.
    public struct Failure: Sendable, Hashable {
        /// The path below the mount point.
        public let path: String
        /// Why.
        public let error: MAMError
    }

    /// The number of files examined.
    public private(set) var files = 0
    /// The number of files changed.
    public private(set) var changed = 0
    /// The files that could not be changed.
    public private(set) var failures: [Failure] = []

    mutating func take(_ reply: Varlink.Protection.Protect.Reply) {
        if let failure = reply.failure {
            failures.append(
                Failure(path: failure.path, error: MAMError(VarlinkError(failure))))
        }
        if let summary = reply.summary { (files, changed) = (summary.files, summary.changed) }
    }
}
