// What is known of one file's or buffer's protection.

internal import MAMModel
internal import MAMWire

/// Whose something is, and how it is protected. The SDK tells the account alone.
public struct ProtectionInfo: Sendable, Hashable {
    /// Apple's Data Protection classes, by their letters.
    public enum FileClass: String, Sendable, Hashable {
        /// Readable while unlocked.
        case complete = "A"
        /// The same; an open file stays open, and files can be made while locked.
        case completeUnlessOpen = "B"
        /// Readable from the first unlock until the daemon ends.
        case completeUntilFirstUserAuthentication = "C"
        /// Always readable on this device.
        case none = "D"
    }

    /// Whether the content can be read.
    public enum State: String, Sendable, Hashable {
        /// It says nothing of an owner.
        case foreign
        /// It names an owner who is not managed; the content is plain.
        case unmanaged
        /// It names an account, and the content is plain all the same.
        case unsealed
        /// Encrypted, and its account is open.
        case available
        /// Encrypted, and its account is closed.
        case closed
        /// Encrypted for an account whose keys are not on this device.
        case keyMissing = "key-missing"
        /// The header does not verify.
        case damaged
        /// A directory: what its new files get.
        case directory
    }

    /// The owner's name, else the object id; empty for nobody.
    public var accountId: String { ownerName.isEmpty ? ownerObjectId : ownerName }
    /// The owner's user principal name.
    public let ownerName: String
    /// The owner's object id in the directory.
    public let ownerObjectId: String
    /// The owner is a managed account.
    public let isManaged: Bool
    /// The class in the header; nil for what is not encrypted.
    public let fileClass: FileClass?
    /// The class after policy and ceiling.
    public let effectiveClass: FileClass?
    /// Whether it can be read.
    public let state: State
    /// One sentence on why.
    public let reason: String

    init(_ info: MAMModel.ProtectionInfo) {
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
            case .directory: .directory
            }
        reason = info.reason
    }

    /// Nil for a file that says nothing of an owner.
    init?(ofFile wire: Varlink.Workspace.Protection) throws(VarlinkError) {
        self.init(try MAMModel.ProtectionInfo(wire))
        if state == .foreign { return nil }
    }
}

/// What came of protecting a file, or every file below a directory.
public struct ProtectionSummary: Sendable, Hashable {
    /// A file below a directory that was not given to the account.
    public struct Failure: Sendable, Hashable {
        /// Below the mount's top.
        public let path: String
        /// Why.
        public let error: MAMError
    }

    /// How many files were looked at.
    public private(set) var files = 0
    /// How many of them had to be changed.
    public private(set) var changed = 0
    /// Those that stay as they are.
    public private(set) var failures: [Failure] = []

    mutating func take(_ reply: Parameters) throws(VarlinkError) {
        if reply.has("failure") {
            let part = try reply.object("failure")
            let error = VarlinkError("\(Varlink.Protection.name).FileFailed", part.members)
            failures.append(Failure(path: try part.string("path"), error: MAMError(error)))
        } else if reply.has("summary") {
            let part = try reply.object("summary")
            (files, changed) = (try part.integer("files"), try part.integer("changed"))
        }
    }
}
