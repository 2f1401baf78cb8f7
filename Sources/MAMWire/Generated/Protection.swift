// From docs/io.mamd.Protection.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink {
    package enum Protection {
        package static let name = "io.mamd.Protection"

        package enum Method: String, Sendable, CaseIterable {
            case protect = "Protect"
            case verifyAndProtect = "VerifyAndProtect"
            case encryptFile = "EncryptFile"
            case decryptFile = "DecryptFile"
            case isFileEncrypted = "IsFileEncrypted"
            case protectData = "ProtectData"
            case unprotectData = "UnprotectData"
            case dataInfo = "DataInfo"
            case protectString = "ProtectString"
            case unprotectString = "UnprotectString"
            case stringInfo = "StringInfo"
        }

        package enum ErrorName: String, Sendable, CaseIterable {
            case fileFailed = "FileFailed"
            case dataFailed = "DataFailed"
        }

        package typealias Protection = Varlink.Workspace.Protection

        package struct ProtectedFile: WireObject {
            package var path: String
            package var changed: Bool
            package var protection: Protection

            package init(path: String, changed: Bool, protection: Protection) {
                self.path = path
                self.changed = changed
                self.protection = protection
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    path: wire.value("path"), changed: wire.value("changed"),
                    protection: wire.value("protection")
                )
            }

            package var members: [String: JSONValue] {
                ["path": path.json, "changed": changed.json, "protection": protection.json]
            }
        }

        package struct Failure: WireObject {
            package var path: String
            package var status: Int
            package var name: String
            package var cause: String
            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(
                path: String, status: Int, name: String, cause: String, reason: String,
                words: [String]? = nil, next: String? = nil
            ) {
                self.path = path
                self.status = status
                self.name = name
                self.cause = cause
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    path: wire.value("path"), status: wire.value("status"),
                    name: wire.value("name"), cause: wire.value("cause"),
                    reason: wire.value("reason"), words: wire.value("words"),
                    next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "path": path.json, "status": status.json, "name": name.json,
                    "cause": cause.json, "reason": reason.json, "words": words.json,
                    "next": next.json
                ]
            }
        }

        package struct Summary: WireObject {
            package var files: Int
            package var changed: Int
            package var failed: Int

            package init(files: Int, changed: Int, failed: Int) {
                self.files = files
                self.changed = changed
                self.failed = failed
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    files: wire.value("files"), changed: wire.value("changed"),
                    failed: wire.value("failed")
                )
            }

            package var members: [String: JSONValue] {
                ["files": files.json, "changed": changed.json, "failed": failed.json]
            }
        }

        package struct Protect: VarlinkRequest {
            package static let method = "io.mamd.Protection.Protect"
            package static let memberNames: Set<String> = [
                "owner", "unmanaged", "path", "fileDescriptor", "override"
            ]

            package var owner: String?
            package var unmanaged: Bool?
            package var path: String?
            package var fileDescriptor: Int?
            package var override: String?

            package init(
                owner: String? = nil, unmanaged: Bool? = nil, path: String? = nil,
                fileDescriptor: Int? = nil, override: String? = nil
            ) {
                self.owner = owner
                self.unmanaged = unmanaged
                self.path = path
                self.fileDescriptor = fileDescriptor
                self.override = override
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    owner: wire.value("owner"), unmanaged: wire.value("unmanaged"),
                    path: wire.value("path"), fileDescriptor: wire.value("fileDescriptor"),
                    override: wire.value("override")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "owner": owner.json, "unmanaged": unmanaged.json, "path": path.json,
                    "fileDescriptor": fileDescriptor.json, "override": override.json
                ]
            }

            package struct Reply: WireObject {
                package var file: ProtectedFile?
                package var failure: Failure?
                package var summary: Summary?

                package init(
                    file: ProtectedFile? = nil, failure: Failure? = nil, summary: Summary? = nil
                ) {
                    self.file = file
                    self.failure = failure
                    self.summary = summary
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        file: wire.value("file"), failure: wire.value("failure"),
                        summary: wire.value("summary")
                    )
                }

                package var members: [String: JSONValue] {
                    ["file": file.json, "failure": failure.json, "summary": summary.json]
                }
            }
        }

        package struct VerifyAndProtect: VarlinkRequest {
            package static let method = "io.mamd.Protection.VerifyAndProtect"
            package static let memberNames: Set<String> = [
                "owner", "unmanaged", "path", "fileDescriptor", "override"
            ]

            package var owner: String?
            package var unmanaged: Bool?
            package var path: String?
            package var fileDescriptor: Int?
            package var override: String?

            package init(
                owner: String? = nil, unmanaged: Bool? = nil, path: String? = nil,
                fileDescriptor: Int? = nil, override: String? = nil
            ) {
                self.owner = owner
                self.unmanaged = unmanaged
                self.path = path
                self.fileDescriptor = fileDescriptor
                self.override = override
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    owner: wire.value("owner"), unmanaged: wire.value("unmanaged"),
                    path: wire.value("path"), fileDescriptor: wire.value("fileDescriptor"),
                    override: wire.value("override")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "owner": owner.json, "unmanaged": unmanaged.json, "path": path.json,
                    "fileDescriptor": fileDescriptor.json, "override": override.json
                ]
            }

            package typealias Reply = Protect.Reply
        }

        package struct EncryptFile: VarlinkRequest {
            package static let method = "io.mamd.Protection.EncryptFile"
            package static let memberNames: Set<String> = [
                "owner", "path", "fileDescriptor", "override"
            ]

            package var owner: String?
            package var path: String?
            package var fileDescriptor: Int?
            package var override: String?

            package init(
                owner: String? = nil, path: String? = nil, fileDescriptor: Int? = nil,
                override: String? = nil
            ) {
                self.owner = owner
                self.path = path
                self.fileDescriptor = fileDescriptor
                self.override = override
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    owner: wire.value("owner"), path: wire.value("path"),
                    fileDescriptor: wire.value("fileDescriptor"),
                    override: wire.value("override")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "owner": owner.json, "path": path.json,
                    "fileDescriptor": fileDescriptor.json, "override": override.json
                ]
            }

            package struct Reply: WireObject {
                package var protection: Protection

                package init(protection: Protection) {
                    self.protection = protection
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(protection: wire.value("protection"))
                }

                package var members: [String: JSONValue] { ["protection": protection.json] }
            }
        }

        package struct DecryptFile: VarlinkRequest {
            package static let method = "io.mamd.Protection.DecryptFile"
            package static let memberNames: Set<String> = [
                "path", "fileDescriptor", "override"
            ]

            package var path: String?
            package var fileDescriptor: Int?
            package var override: String?

            package init(
                path: String? = nil, fileDescriptor: Int? = nil, override: String? = nil
            ) {
                self.path = path
                self.fileDescriptor = fileDescriptor
                self.override = override
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    path: wire.value("path"), fileDescriptor: wire.value("fileDescriptor"),
                    override: wire.value("override")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "path": path.json, "fileDescriptor": fileDescriptor.json,
                    "override": override.json
                ]
            }

            package typealias Reply = EncryptFile.Reply
        }

        package struct IsFileEncrypted: VarlinkRequest {
            package static let method = "io.mamd.Protection.IsFileEncrypted"
            package static let memberNames: Set<String> = ["path", "fileDescriptor"]

            package var path: String?
            package var fileDescriptor: Int?

            package init(path: String? = nil, fileDescriptor: Int? = nil) {
                self.path = path
                self.fileDescriptor = fileDescriptor
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    path: wire.value("path"), fileDescriptor: wire.value("fileDescriptor")
                )
            }

            package var members: [String: JSONValue] {
                ["path": path.json, "fileDescriptor": fileDescriptor.json]
            }

            package struct Reply: WireObject {
                package var encrypted: Bool

                package init(encrypted: Bool) {
                    self.encrypted = encrypted
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(encrypted: wire.value("encrypted"))
                }

                package var members: [String: JSONValue] { ["encrypted": encrypted.json] }
            }
        }

        package struct ProtectData: VarlinkRequest {
            package static let method = "io.mamd.Protection.ProtectData"
            package static let memberNames: Set<String> = [
                "owner", "unmanaged", "strict", "sourceDescriptor", "destinationDescriptor",
                "override"
            ]

            package var owner: String?
            package var unmanaged: Bool?
            package var strict: Bool?
            package var sourceDescriptor: Int?
            package var destinationDescriptor: Int?
            package var override: String?

            package init(
                owner: String? = nil, unmanaged: Bool? = nil, strict: Bool? = nil,
                sourceDescriptor: Int? = nil, destinationDescriptor: Int? = nil,
                override: String? = nil
            ) {
                self.owner = owner
                self.unmanaged = unmanaged
                self.strict = strict
                self.sourceDescriptor = sourceDescriptor
                self.destinationDescriptor = destinationDescriptor
                self.override = override
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    owner: wire.value("owner"), unmanaged: wire.value("unmanaged"),
                    strict: wire.value("strict"),
                    sourceDescriptor: wire.value("sourceDescriptor"),
                    destinationDescriptor: wire.value("destinationDescriptor"),
                    override: wire.value("override")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "owner": owner.json, "unmanaged": unmanaged.json, "strict": strict.json,
                    "sourceDescriptor": sourceDescriptor.json,
                    "destinationDescriptor": destinationDescriptor.json,
                    "override": override.json
                ]
            }

            package struct Reply: WireObject {
                package var bytes: Int

                package init(bytes: Int) {
                    self.bytes = bytes
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(bytes: wire.value("bytes"))
                }

                package var members: [String: JSONValue] { ["bytes": bytes.json] }
            }
        }

        package struct UnprotectData: VarlinkRequest {
            package static let method = "io.mamd.Protection.UnprotectData"
            package static let memberNames: Set<String> = [
                "strict", "sourceDescriptor", "destinationDescriptor", "ownUse", "override"
            ]

            package var strict: Bool?
            package var sourceDescriptor: Int?
            package var destinationDescriptor: Int?
            package var ownUse: Bool?
            package var override: String?

            package init(
                strict: Bool? = nil, sourceDescriptor: Int? = nil,
                destinationDescriptor: Int? = nil, ownUse: Bool? = nil,
                override: String? = nil
            ) {
                self.strict = strict
                self.sourceDescriptor = sourceDescriptor
                self.destinationDescriptor = destinationDescriptor
                self.ownUse = ownUse
                self.override = override
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    strict: wire.value("strict"),
                    sourceDescriptor: wire.value("sourceDescriptor"),
                    destinationDescriptor: wire.value("destinationDescriptor"),
                    ownUse: wire.value("ownUse"), override: wire.value("override")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "strict": strict.json, "sourceDescriptor": sourceDescriptor.json,
                    "destinationDescriptor": destinationDescriptor.json, "ownUse": ownUse.json,
                    "override": override.json
                ]
            }

            package struct Reply: WireObject {
                package var bytes: Int
                package var protected: Bool

                package init(bytes: Int, protected: Bool) {
                    self.bytes = bytes
                    self.protected = protected
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(bytes: wire.value("bytes"), protected: wire.value("protected"))
                }

                package var members: [String: JSONValue] {
                    ["bytes": bytes.json, "protected": protected.json]
                }
            }
        }

        package struct DataInfo: VarlinkRequest {
            package static let method = "io.mamd.Protection.DataInfo"
            package static let memberNames: Set<String> = ["sourceDescriptor"]

            package var sourceDescriptor: Int?

            package init(sourceDescriptor: Int? = nil) {
                self.sourceDescriptor = sourceDescriptor
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(sourceDescriptor: wire.value("sourceDescriptor"))
            }

            package var members: [String: JSONValue] {
                ["sourceDescriptor": sourceDescriptor.json]
            }

            package struct Reply: WireObject {
                package var protection: Protection?
                package var status: Int

                package init(protection: Protection? = nil, status: Int) {
                    self.protection = protection
                    self.status = status
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        protection: wire.value("protection"), status: wire.value("status")
                    )
                }

                package var members: [String: JSONValue] {
                    ["protection": protection.json, "status": status.json]
                }
            }
        }

        package struct ProtectString: VarlinkRequest {
            package static let method = "io.mamd.Protection.ProtectString"
            package static let memberNames: Set<String> = ["owner", "unmanaged", "text"]

            package var owner: String?
            package var unmanaged: Bool?
            package var text: String?

            package init(
                owner: String? = nil, unmanaged: Bool? = nil, text: String? = nil
            ) {
                self.owner = owner
                self.unmanaged = unmanaged
                self.text = text
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    owner: wire.value("owner"), unmanaged: wire.value("unmanaged"),
                    text: wire.value("text")
                )
            }

            package var members: [String: JSONValue] {
                ["owner": owner.json, "unmanaged": unmanaged.json, "text": text.json]
            }

            package struct Reply: WireObject {
                package var text: String

                package init(text: String) {
                    self.text = text
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(text: wire.value("text"))
                }

                package var members: [String: JSONValue] { ["text": text.json] }
            }
        }

        package struct UnprotectString: VarlinkRequest {
            package static let method = "io.mamd.Protection.UnprotectString"
            package static let memberNames: Set<String> = ["text", "ownUse", "override"]

            package var text: String?
            package var ownUse: Bool?
            package var override: String?

            package init(
                text: String? = nil, ownUse: Bool? = nil, override: String? = nil
            ) {
                self.text = text
                self.ownUse = ownUse
                self.override = override
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    text: wire.value("text"), ownUse: wire.value("ownUse"),
                    override: wire.value("override")
                )
            }

            package var members: [String: JSONValue] {
                ["text": text.json, "ownUse": ownUse.json, "override": override.json]
            }

            package struct Reply: WireObject {
                package var text: String
                package var protected: Bool

                package init(text: String, protected: Bool) {
                    self.text = text
                    self.protected = protected
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(text: wire.value("text"), protected: wire.value("protected"))
                }

                package var members: [String: JSONValue] {
                    ["text": text.json, "protected": protected.json]
                }
            }
        }

        package struct StringInfo: VarlinkRequest {
            package static let method = "io.mamd.Protection.StringInfo"
            package static let memberNames: Set<String> = ["text"]

            package var text: String?

            package init(text: String? = nil) {
                self.text = text
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(text: wire.value("text"))
            }

            package var members: [String: JSONValue] { ["text": text.json] }

            package typealias Reply = DataInfo.Reply
        }

        package struct FileFailed: VarlinkFailure {
            package static let errorName = "io.mamd.Protection.FileFailed"

            package var status: Int
            package var name: String
            package var cause: String
            package var account: String?
            package var kind: String?
            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(
                status: Int, name: String, cause: String, account: String? = nil,
                kind: String? = nil, reason: String, words: [String]? = nil,
                next: String? = nil
            ) {
                self.status = status
                self.name = name
                self.cause = cause
                self.account = account
                self.kind = kind
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    status: wire.value("status"), name: wire.value("name"),
                    cause: wire.value("cause"), account: wire.value("account"),
                    kind: wire.value("kind"), reason: wire.value("reason"),
                    words: wire.value("words"), next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "status": status.json, "name": name.json, "cause": cause.json,
                    "account": account.json, "kind": kind.json, "reason": reason.json,
                    "words": words.json, "next": next.json
                ]
            }
        }

        package struct DataFailed: VarlinkFailure {
            package static let errorName = "io.mamd.Protection.DataFailed"

            package var status: Int
            package var name: String
            package var cause: String
            package var account: String?
            package var kind: String?
            package var reason: String
            package var words: [String]?
            package var next: String?

            package init(
                status: Int, name: String, cause: String, account: String? = nil,
                kind: String? = nil, reason: String, words: [String]? = nil,
                next: String? = nil
            ) {
                self.status = status
                self.name = name
                self.cause = cause
                self.account = account
                self.kind = kind
                self.reason = reason
                self.words = words
                self.next = next
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    status: wire.value("status"), name: wire.value("name"),
                    cause: wire.value("cause"), account: wire.value("account"),
                    kind: wire.value("kind"), reason: wire.value("reason"),
                    words: wire.value("words"), next: wire.value("next")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "status": status.json, "name": name.json, "cause": cause.json,
                    "account": account.json, "kind": kind.json, "reason": reason.json,
                    "words": words.json, "next": next.json
                ]
            }
        }
    }
}

extension Varlink.Protection {
    /// What `GetInterfaceDescription` answers.
    package static let text = """
# Protects files and data for an identity, as the protection managers of the Intune App SDK do.
#
# A parameter whose name ends in Descriptor is the index of a file descriptor that is passed with
# the call (SCM_RIGHTS).
interface io.mamd.Protection

# As in io.mamd.Workspace
type Protection (
  owner: string,
  ownerObjectId: string,
  managed: bool,
  class: ?string,
  effectiveClass: ?string,
  state: string,
  reason: string,
  words: ?[]string
)

# path: below the mount point; empty if the call named this one file. changed: false if there was
# nothing to do
type ProtectedFile (
  path: string,
  changed: bool,
  protection: Protection
)

# A file below a directory that could not be protected; members as in FileFailed
type Failure (
  path: string,
  status: int,
  name: string,
  cause: string,
  reason: string,
  words: ?[]string,
  next: ?string
)

type Summary (
  files: int,
  changed: int,
  failed: int
)

# Gives a file in the mount to an owner, and encrypts or decrypts it accordingly; of a directory,
# every file below it, and files that programs without an identity of their own create there
# later. "" is nobody.
# unmanaged: as for SetOwner of io.mamd.Workspace; without it such a name is refused with status
# 106. override: as for SetOwner too. With more, each reply has one of the three members, the last
# one the summary.
method Protect(
  owner: ?string,
  unmanaged: ?bool,
  path: ?string,
  fileDescriptor: ?int,
  override: ?string
) -> (file: ?ProtectedFile, failure: ?Failure, summary: ?Summary)

# The same, for files that do not have that owner yet.
method VerifyAndProtect(
  owner: ?string,
  unmanaged: ?bool,
  path: ?string,
  fileDescriptor: ?int,
  override: ?string
) -> (file: ?ProtectedFile, failure: ?Failure, summary: ?Summary)

# Protects a file in the mount for an account. Refuses another owner with status 106, a directory
# with 105.
method EncryptFile(
  owner: ?string,
  path: ?string,
  fileDescriptor: ?int,
  override: ?string
) -> (protection: Protection)

# Makes a file in the mount plain, and gives it to nobody, until Protect gives it to an account
# again. Refused where the owner's policy does not let its content leave, and for a file that holds
# protected data, which io.mamd.Workspace.Decrypt opens into another file.
method DecryptFile(
  path: ?string,
  fileDescriptor: ?int,
  override: ?string
) -> (protection: Protection)

# Reads the header of a file outside the mount, in either format.
method IsFileEncrypted(path: ?string, fileDescriptor: ?int) -> (encrypted: bool)

# Reads the source to its end and writes it protected for the owner: sealed for an account, plain
# behind a header for any other identity; "" is nobody. unmanaged: as for Protect; without it such
# a name is refused with status 101. strict: refuses every owner that is not an account, too. Both
# descriptors may be pipes. The call ends when the caller hangs up. bytes: of the plaintext.
# override: as for Encrypt of io.mamd.Workspace.
method ProtectData(
  owner: ?string,
  unmanaged: ?bool,
  strict: ?bool,
  sourceDescriptor: ?int,
  destinationDescriptor: ?int,
  override: ?string
) -> (bytes: int)

# The inverse; also decrypts a file that Workspace.Encrypt made, unless it comes through a pipe.
# Data that is not protected is copied unchanged, and protected is false; strict refuses it. Only
# verified content is written: if the data is damaged, the content before the damage. Refused as
# Decrypt of io.mamd.Workspace is; override: as there. ownUse: the content stays with the calling
# program, as what it reads in the mount does, and so with the identity that it acts for.
method UnprotectData(
  strict: ?bool,
  sourceDescriptor: ?int,
  destinationDescriptor: ?int,
  ownUse: ?bool,
  override: ?string
) -> (bytes: int, protected: bool)

# Reads only the header, of either format. null and status 104: the data is not protected.
method DataInfo(sourceDescriptor: ?int) -> (protection: ?Protection, status: int)

# ProtectData for text; protected text is base64.
method ProtectString(owner: ?string, unmanaged: ?bool, text: ?string) -> (text: string)

# ownUse and override: as for UnprotectData.
method UnprotectString(
  text: ?string,
  ownUse: ?bool,
  override: ?string
) -> (text: string, protected: bool)

method StringInfo(text: ?string) -> (protection: ?Protection, status: int)

# status and name: 100 applicationNotManaged, 101 invalidArgument, 102 encryptionFailed, 103
# decryptionFailed, 104 fileNotFound, 105 pathIsDirectory, 106 identityNotManaged, 107
# internalError. cause, account, kind and next: as in DataFailed
error FileFailed (
  status: int,
  name: string,
  cause: string,
  account: ?string,
  kind: ?string,
  reason: string,
  words: ?[]string,
  next: ?string
)

# status and name: 100 applicationNotManaged, 101 invalidArgument, 102 encryptFailed, 103
# decryptFailed, 104 notProtected, 105 dataEmpty. cause: the error of io.mamd.Workspace behind it;
# account, kind and next: that error's
error DataFailed (
  status: int,
  name: string,
  cause: string,
  account: ?string,
  kind: ?string,
  reason: string,
  words: ?[]string,
  next: ?string
)

"""
}
