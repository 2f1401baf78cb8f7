// From docs/io.mamd.Recovery.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink {
    package enum Recovery {
        package static let name = "io.mamd.Recovery"

        package enum Method: String, Sendable, CaseIterable {
            case exportKeys = "ExportKeys"
            case importKeys = "ImportKeys"
            case resetPassphrase = "ResetPassphrase"
            case examineKeys = "ExamineKeys"
        }

        package struct KeyExport: WireObject {
            package var id: String
            package var name: String
            package var objectID: String
            package var written: Int
            package var recoveryKey: String?

            package init(
                id: String, name: String, objectID: String, written: Int,
                recoveryKey: String? = nil
            ) {
                self.id = id
                self.name = name
                self.objectID = objectID
                self.written = written
                self.recoveryKey = recoveryKey
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    id: wire.value("id"), name: wire.value("name"),
                    objectID: wire.value("objectId"), written: wire.value("written"),
                    recoveryKey: wire.value("recoveryKey")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "id": id.json, "name": name.json, "objectId": objectID.json,
                    "written": written.json, "recoveryKey": recoveryKey.json
                ]
            }
        }

        package struct ExportKeys: VarlinkRequest {
            package static let method = "io.mamd.Recovery.ExportKeys"
            package static let memberNames: Set<String> = [
                "account", "passphrase", "passphraseDescriptor", "exportPassphrase",
                "exportPassphraseDescriptor", "fileDescriptor"
            ]

            package var account: String?
            package var passphrase: String?
            package var passphraseDescriptor: Int?
            package var exportPassphrase: String?
            package var exportPassphraseDescriptor: Int?
            package var fileDescriptor: Int

            package init(
                account: String? = nil, passphrase: String? = nil,
                passphraseDescriptor: Int? = nil, exportPassphrase: String? = nil,
                exportPassphraseDescriptor: Int? = nil, fileDescriptor: Int
            ) {
                self.account = account
                self.passphrase = passphrase
                self.passphraseDescriptor = passphraseDescriptor
                self.exportPassphrase = exportPassphrase
                self.exportPassphraseDescriptor = exportPassphraseDescriptor
                self.fileDescriptor = fileDescriptor
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"), passphrase: wire.value("passphrase"),
                    passphraseDescriptor: wire.value("passphraseDescriptor"),
                    exportPassphrase: wire.value("exportPassphrase"),
                    exportPassphraseDescriptor: wire.value("exportPassphraseDescriptor"),
                    fileDescriptor: wire.value("fileDescriptor")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "passphrase": passphrase.json,
                    "passphraseDescriptor": passphraseDescriptor.json,
                    "exportPassphrase": exportPassphrase.json,
                    "exportPassphraseDescriptor": exportPassphraseDescriptor.json,
                    "fileDescriptor": fileDescriptor.json
                ]
            }

            package struct Reply: WireObject {
                package var export: KeyExport

                package init(export: KeyExport) {
                    self.export = export
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(export: wire.value("export"))
                }

                package var members: [String: JSONValue] { ["export": export.json] }
            }
        }

        package struct ImportKeys: VarlinkRequest {
            package static let method = "io.mamd.Recovery.ImportKeys"
            package static let memberNames: Set<String> = [
                "fileDescriptor", "exportPassphrase", "exportPassphraseDescriptor",
                "recoveryKeyDescriptor", "recoveryKeyPassphrase",
                "recoveryKeyPassphraseDescriptor", "passphrase", "passphraseDescriptor",
                "noPassphrase", "join"
            ]

            package var fileDescriptor: Int
            package var exportPassphrase: String?
            package var exportPassphraseDescriptor: Int?
            package var recoveryKeyDescriptor: Int?
            package var recoveryKeyPassphrase: String?
            package var recoveryKeyPassphraseDescriptor: Int?
            package var passphrase: String?
            package var passphraseDescriptor: Int?
            package var noPassphrase: Bool?
            package var join: Bool?

            package init(
                fileDescriptor: Int, exportPassphrase: String? = nil,
                exportPassphraseDescriptor: Int? = nil, recoveryKeyDescriptor: Int? = nil,
                recoveryKeyPassphrase: String? = nil,
                recoveryKeyPassphraseDescriptor: Int? = nil, passphrase: String? = nil,
                passphraseDescriptor: Int? = nil, noPassphrase: Bool? = nil,
                join: Bool? = nil
            ) {
                self.fileDescriptor = fileDescriptor
                self.exportPassphrase = exportPassphrase
                self.exportPassphraseDescriptor = exportPassphraseDescriptor
                self.recoveryKeyDescriptor = recoveryKeyDescriptor
                self.recoveryKeyPassphrase = recoveryKeyPassphrase
                self.recoveryKeyPassphraseDescriptor = recoveryKeyPassphraseDescriptor
                self.passphrase = passphrase
                self.passphraseDescriptor = passphraseDescriptor
                self.noPassphrase = noPassphrase
                self.join = join
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    fileDescriptor: wire.value("fileDescriptor"),
                    exportPassphrase: wire.value("exportPassphrase"),
                    exportPassphraseDescriptor: wire.value("exportPassphraseDescriptor"),
                    recoveryKeyDescriptor: wire.value("recoveryKeyDescriptor"),
                    recoveryKeyPassphrase: wire.value("recoveryKeyPassphrase"),
                    recoveryKeyPassphraseDescriptor: wire.value("recoveryKeyPassphraseDescriptor"),
                    passphrase: wire.value("passphrase"),
                    passphraseDescriptor: wire.value("passphraseDescriptor"),
                    noPassphrase: wire.value("noPassphrase"), join: wire.value("join")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "fileDescriptor": fileDescriptor.json,
                    "exportPassphrase": exportPassphrase.json,
                    "exportPassphraseDescriptor": exportPassphraseDescriptor.json,
                    "recoveryKeyDescriptor": recoveryKeyDescriptor.json,
                    "recoveryKeyPassphrase": recoveryKeyPassphrase.json,
                    "recoveryKeyPassphraseDescriptor": recoveryKeyPassphraseDescriptor.json,
                    "passphrase": passphrase.json,
                    "passphraseDescriptor": passphraseDescriptor.json,
                    "noPassphrase": noPassphrase.json, "join": join.json
                ]
            }

            package typealias Reply = ExportKeys.Reply
        }

        package struct ResetPassphrase: VarlinkRequest {
            package static let method = "io.mamd.Recovery.ResetPassphrase"
            package static let memberNames: Set<String> = [
                "account", "fileDescriptor", "exportPassphrase",
                "exportPassphraseDescriptor", "recoveryKeyDescriptor",
                "recoveryKeyPassphrase", "recoveryKeyPassphraseDescriptor", "passphrase",
                "passphraseDescriptor", "noPassphrase"
            ]

            package var account: String?
            package var fileDescriptor: Int
            package var exportPassphrase: String?
            package var exportPassphraseDescriptor: Int?
            package var recoveryKeyDescriptor: Int?
            package var recoveryKeyPassphrase: String?
            package var recoveryKeyPassphraseDescriptor: Int?
            package var passphrase: String?
            package var passphraseDescriptor: Int?
            package var noPassphrase: Bool?

            package init(
                account: String? = nil, fileDescriptor: Int,
                exportPassphrase: String? = nil, exportPassphraseDescriptor: Int? = nil,
                recoveryKeyDescriptor: Int? = nil, recoveryKeyPassphrase: String? = nil,
                recoveryKeyPassphraseDescriptor: Int? = nil, passphrase: String? = nil,
                passphraseDescriptor: Int? = nil, noPassphrase: Bool? = nil
            ) {
                self.account = account
                self.fileDescriptor = fileDescriptor
                self.exportPassphrase = exportPassphrase
                self.exportPassphraseDescriptor = exportPassphraseDescriptor
                self.recoveryKeyDescriptor = recoveryKeyDescriptor
                self.recoveryKeyPassphrase = recoveryKeyPassphrase
                self.recoveryKeyPassphraseDescriptor = recoveryKeyPassphraseDescriptor
                self.passphrase = passphrase
                self.passphraseDescriptor = passphraseDescriptor
                self.noPassphrase = noPassphrase
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    account: wire.value("account"),
                    fileDescriptor: wire.value("fileDescriptor"),
                    exportPassphrase: wire.value("exportPassphrase"),
                    exportPassphraseDescriptor: wire.value("exportPassphraseDescriptor"),
                    recoveryKeyDescriptor: wire.value("recoveryKeyDescriptor"),
                    recoveryKeyPassphrase: wire.value("recoveryKeyPassphrase"),
                    recoveryKeyPassphraseDescriptor: wire.value("recoveryKeyPassphraseDescriptor"),
                    passphrase: wire.value("passphrase"),
                    passphraseDescriptor: wire.value("passphraseDescriptor"),
                    noPassphrase: wire.value("noPassphrase")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "account": account.json, "fileDescriptor": fileDescriptor.json,
                    "exportPassphrase": exportPassphrase.json,
                    "exportPassphraseDescriptor": exportPassphraseDescriptor.json,
                    "recoveryKeyDescriptor": recoveryKeyDescriptor.json,
                    "recoveryKeyPassphrase": recoveryKeyPassphrase.json,
                    "recoveryKeyPassphraseDescriptor": recoveryKeyPassphraseDescriptor.json,
                    "passphrase": passphrase.json,
                    "passphraseDescriptor": passphraseDescriptor.json,
                    "noPassphrase": noPassphrase.json
                ]
            }

            package typealias Reply = ExportKeys.Reply
        }

        package struct ExamineKeys: VarlinkRequest {
            package static let method = "io.mamd.Recovery.ExamineKeys"
            package static let memberNames: Set<String> = [
                "fileDescriptor", "exportPassphrase", "exportPassphraseDescriptor",
                "recoveryKeyDescriptor", "recoveryKeyPassphrase",
                "recoveryKeyPassphraseDescriptor"
            ]

            package var fileDescriptor: Int
            package var exportPassphrase: String?
            package var exportPassphraseDescriptor: Int?
            package var recoveryKeyDescriptor: Int?
            package var recoveryKeyPassphrase: String?
            package var recoveryKeyPassphraseDescriptor: Int?

            package init(
                fileDescriptor: Int, exportPassphrase: String? = nil,
                exportPassphraseDescriptor: Int? = nil, recoveryKeyDescriptor: Int? = nil,
                recoveryKeyPassphrase: String? = nil,
                recoveryKeyPassphraseDescriptor: Int? = nil
            ) {
                self.fileDescriptor = fileDescriptor
                self.exportPassphrase = exportPassphrase
                self.exportPassphraseDescriptor = exportPassphraseDescriptor
                self.recoveryKeyDescriptor = recoveryKeyDescriptor
                self.recoveryKeyPassphrase = recoveryKeyPassphrase
                self.recoveryKeyPassphraseDescriptor = recoveryKeyPassphraseDescriptor
            }

            package init(_ wire: Parameters) throws(VarlinkError) {
                try self.init(
                    fileDescriptor: wire.value("fileDescriptor"),
                    exportPassphrase: wire.value("exportPassphrase"),
                    exportPassphraseDescriptor: wire.value("exportPassphraseDescriptor"),
                    recoveryKeyDescriptor: wire.value("recoveryKeyDescriptor"),
                    recoveryKeyPassphrase: wire.value("recoveryKeyPassphrase"),
                    recoveryKeyPassphraseDescriptor: wire.value("recoveryKeyPassphraseDescriptor")
                )
            }

            package var members: [String: JSONValue] {
                [
                    "fileDescriptor": fileDescriptor.json,
                    "exportPassphrase": exportPassphrase.json,
                    "exportPassphraseDescriptor": exportPassphraseDescriptor.json,
                    "recoveryKeyDescriptor": recoveryKeyDescriptor.json,
                    "recoveryKeyPassphrase": recoveryKeyPassphrase.json,
                    "recoveryKeyPassphraseDescriptor": recoveryKeyPassphraseDescriptor.json
                ]
            }

            package struct Reply: WireObject {
                package var export: KeyExport
                package var account: String?
                package var files: Int
                package var opened: Int

                package init(
                    export: KeyExport, account: String? = nil, files: Int, opened: Int
                ) {
                    self.export = export
                    self.account = account
                    self.files = files
                    self.opened = opened
                }

                package init(_ wire: Parameters) throws(VarlinkError) {
                    try self.init(
                        export: wire.value("export"), account: wire.value("account"),
                        files: wire.value("files"), opened: wire.value("opened")
                    )
                }

                package var members: [String: JSONValue] {
                    [
                        "export": export.json, "account": account.json, "files": files.json,
                        "opened": opened.json
                    ]
                }
            }
        }
    }
}

extension Varlink.Recovery {
    /// What `GetInterfaceDescription` answers.
    package static let text = """
# Exports an account's keys from a machine, and imports them on another one: docs/RECOVERY.md.
#
# A parameter whose name ends in Descriptor is the index of a file descriptor that is passed with
# the call (SCM_RIGHTS). Frames never contain keys. Errors are those of io.mamd.Workspace.
interface io.mamd.Recovery

# recoveryKey: of a recovery record, the first digits of the public key that seals it; null: a
# passphrase seals it. written: seconds since 1970
type KeyExport (
  id: string,
  name: string,
  objectId: string,
  written: int,
  recoveryKey: ?string
)

# Writes the account's keys, sealed under the export's passphrase, into the file, which must be
# empty, open for writing, and readable by its owner only. Requires the account's passphrase, if it
# has one, even while it is unlocked.
# Refused if exportPassphrase is not UTF-8, has fewer than 8 characters, or does not meet policy's
# requirements for passphrases.
method ExportKeys(
  account: ?string,
  passphrase: ?string,
  passphraseDescriptor: ?int,
  exportPassphrase: ?string,
  exportPassphraseDescriptor: ?int,
  fileDescriptor: int
) -> (export: KeyExport)

# Registers the account of an export, or of a recovery record, for the caller, with the same ids
# and keys. Takes exactly one of exportPassphrase, for an export, and recoveryKeyDescriptor, for a
# recovery record; recoveryKeyPassphrase is that key's own. Takes exactly one of passphrase,
# passphraseDescriptor, noPassphrase, which will open the account.
# join: adds the keys to those of the account that has the same name, which passphrase opens.
# Without join that is AccountExists; with it, and no such account, Refused. Ask the user before:
# the maker of the file can read what is written to the files that its keys open, until they are
# resealed.
method ImportKeys(
  fileDescriptor: int,
  exportPassphrase: ?string,
  exportPassphraseDescriptor: ?int,
  recoveryKeyDescriptor: ?int,
  recoveryKeyPassphrase: ?string,
  recoveryKeyPassphraseDescriptor: ?int,
  passphrase: ?string,
  passphraseDescriptor: ?int,
  noPassphrase: ?bool,
  join: ?bool
) -> (export: KeyExport)

# Gives an account a new passphrase in place of a forgotten one, which an export of its present keys
# replaces; the arguments are those of ImportKeys. Refused if the keys are another account's, or
# others than the account's present ones: nothing is changed. Files, keys and windows stay; wrong
# passphrases are forgotten, but a lock-out stays until Enrollment.Login.
method ResetPassphrase(
  account: ?string,
  fileDescriptor: int,
  exportPassphrase: ?string,
  exportPassphraseDescriptor: ?int,
  recoveryKeyDescriptor: ?int,
  recoveryKeyPassphrase: ?string,
  recoveryKeyPassphraseDescriptor: ?int,
  passphrase: ?string,
  passphraseDescriptor: ?int,
  noPassphrase: ?bool
) -> (export: KeyExport)

# Opens an export; changes nothing. account: the id of the account that an import would join;
# null: it would create one. files: the number of sealed files here that name its keys; opened: of
# those, how many the keys open.
method ExamineKeys(
  fileDescriptor: int,
  exportPassphrase: ?string,
  exportPassphraseDescriptor: ?int,
  recoveryKeyDescriptor: ?int,
  recoveryKeyPassphrase: ?string,
  recoveryKeyPassphraseDescriptor: ?int
) -> (export: KeyExport, account: ?string, files: int, opened: int)

"""
}
