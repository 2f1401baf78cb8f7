// From docs/io.mamd.Recovery.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

extension Varlink { package enum Recovery {} }
extension Varlink.Recovery {
    package static let name = "io.mamd.Recovery"
    package enum Method: String, Sendable, CaseIterable {
        case exportKeys = "ExportKeys", importKeys = "ImportKeys",
            resetPassphrase = "ResetPassphrase", askReset = "AskReset",
            resetAsOrdered = "ResetAsOrdered", examineKeys = "ExamineKeys",
            compareKeys = "CompareKeys"
    }

    package struct KeyExport: WireObject, Equatable {
        package var id: String, name: String, objectID: String, written: Int, recoveryKey: String?
        package init(id: String, name: String, objectID: String, written: Int,
            recoveryKey: String? = nil) {
            (self.id, self.name, self.objectID, self.written, self.recoveryKey) = (id, name,
                objectID, written, recoveryKey)
        }
        package static let codec = Codec(["id", "name", "objectId", "written",
            "recoveryKey"], Self.init) {
            [$0.id.json, $0.name.json, $0.objectID.json, $0.written.json, $0.recoveryKey.json]
        }
    }

    package struct ExportKeys: VarlinkRequest {
        package var account: String?, passphrase: String?, passphraseDescriptor: Int?,
            exportPassphrase: String?, exportPassphraseDescriptor: Int?, fileDescriptor: Int
        package init(account: String? = nil, passphrase: String? = nil,
            passphraseDescriptor: Int? = nil, exportPassphrase: String? = nil,
            exportPassphraseDescriptor: Int? = nil, fileDescriptor: Int) {
            (self.account, self.passphrase, self.passphraseDescriptor, self.exportPassphrase,
                self.exportPassphraseDescriptor, self.fileDescriptor) = (account, passphrase,
                passphraseDescriptor, exportPassphrase, exportPassphraseDescriptor, fileDescriptor)
        }
        package static let codec = Codec(["account", "passphrase", "passphraseDescriptor",
            "exportPassphrase", "exportPassphraseDescriptor", "fileDescriptor"], Self.init) {
            [$0.account.json, $0.passphrase.json, $0.passphraseDescriptor.json,
                $0.exportPassphrase.json, $0.exportPassphraseDescriptor.json,
                $0.fileDescriptor.json]
        }
        package struct Reply: WireObject {
            package var export: KeyExport
            package init(export: KeyExport) { self.export = export }
            package static let codec = Codec(["export"], Self.init) { [$0.export.json] }
        }
    }

    package struct ImportKeys: VarlinkRequest {
        package var fileDescriptor: Int, exportPassphrase: String?,
            exportPassphraseDescriptor: Int?, recoveryKeyDescriptor: Int?,
            recoveryKeyPassphrase: String?, recoveryKeyPassphraseDescriptor: Int?,
            passphrase: String?, passphraseDescriptor: Int?, noPassphrase: Bool?, join: Bool?
        package init(fileDescriptor: Int, exportPassphrase: String? = nil,
            exportPassphraseDescriptor: Int? = nil, recoveryKeyDescriptor: Int? = nil,
            recoveryKeyPassphrase: String? = nil, recoveryKeyPassphraseDescriptor: Int? = nil,
            passphrase: String? = nil, passphraseDescriptor: Int? = nil, noPassphrase: Bool? = nil,
            join: Bool? = nil) {
            (self.fileDescriptor, self.exportPassphrase, self.exportPassphraseDescriptor,
                self.recoveryKeyDescriptor, self.recoveryKeyPassphrase,
                self.recoveryKeyPassphraseDescriptor, self.passphrase, self.passphraseDescriptor,
                self.noPassphrase, self.join) = (fileDescriptor, exportPassphrase,
                exportPassphraseDescriptor, recoveryKeyDescriptor, recoveryKeyPassphrase,
                recoveryKeyPassphraseDescriptor, passphrase, passphraseDescriptor, noPassphrase,
                join)
        }
        package static let codec = Codec(["fileDescriptor", "exportPassphrase",
            "exportPassphraseDescriptor", "recoveryKeyDescriptor", "recoveryKeyPassphrase",
            "recoveryKeyPassphraseDescriptor", "passphrase", "passphraseDescriptor", "noPassphrase",
            "join"], Self.init) {
            [$0.fileDescriptor.json, $0.exportPassphrase.json, $0.exportPassphraseDescriptor.json,
                $0.recoveryKeyDescriptor.json, $0.recoveryKeyPassphrase.json,
                $0.recoveryKeyPassphraseDescriptor.json, $0.passphrase.json,
                $0.passphraseDescriptor.json, $0.noPassphrase.json, $0.join.json]
        }
        package typealias Reply = ExportKeys.Reply
    }

    package struct ResetPassphrase: VarlinkRequest {
        package var account: String?, fileDescriptor: Int, exportPassphrase: String?,
            exportPassphraseDescriptor: Int?, recoveryKeyDescriptor: Int?,
            recoveryKeyPassphrase: String?, recoveryKeyPassphraseDescriptor: Int?,
            passphrase: String?, passphraseDescriptor: Int?, noPassphrase: Bool?
        package init(account: String? = nil, fileDescriptor: Int, exportPassphrase: String? = nil,
            exportPassphraseDescriptor: Int? = nil, recoveryKeyDescriptor: Int? = nil,
            recoveryKeyPassphrase: String? = nil, recoveryKeyPassphraseDescriptor: Int? = nil,
            passphrase: String? = nil, passphraseDescriptor: Int? = nil,
            noPassphrase: Bool? = nil) {
            (self.account, self.fileDescriptor, self.exportPassphrase,
                self.exportPassphraseDescriptor, self.recoveryKeyDescriptor,
                self.recoveryKeyPassphrase, self.recoveryKeyPassphraseDescriptor, self.passphrase,
                self.passphraseDescriptor, self.noPassphrase) = (account, fileDescriptor,
                exportPassphrase, exportPassphraseDescriptor, recoveryKeyDescriptor,
                recoveryKeyPassphrase, recoveryKeyPassphraseDescriptor, passphrase,
                passphraseDescriptor, noPassphrase)
        }
        package static let codec = Codec(["account", "fileDescriptor", "exportPassphrase",
            "exportPassphraseDescriptor", "recoveryKeyDescriptor", "recoveryKeyPassphrase",
            "recoveryKeyPassphraseDescriptor", "passphrase", "passphraseDescriptor",
            "noPassphrase"], Self.init) {
            [$0.account.json, $0.fileDescriptor.json, $0.exportPassphrase.json,
                $0.exportPassphraseDescriptor.json, $0.recoveryKeyDescriptor.json,
                $0.recoveryKeyPassphrase.json, $0.recoveryKeyPassphraseDescriptor.json,
                $0.passphrase.json, $0.passphraseDescriptor.json, $0.noPassphrase.json]
        }
        package typealias Reply = ExportKeys.Reply
    }

    package struct ResetRequest: WireObject, Equatable {
        package var code: String, organization: String, machine: String, ends: Int, answered: Bool
        package init(code: String, organization: String, machine: String, ends: Int,
            answered: Bool) {
            (self.code, self.organization, self.machine, self.ends, self.answered) = (code,
                organization, machine, ends, answered)
        }
        package static let codec = Codec(["code", "organization", "machine", "ends",
            "answered"], Self.init) {
            [$0.code.json, $0.organization.json, $0.machine.json, $0.ends.json, $0.answered.json]
        }
    }

    package struct AskReset: VarlinkRequest {
        package var account: String?
        package init(account: String? = nil) { self.account = account }
        package static let codec = Codec(["account"], Self.init) { [$0.account.json] }
        package struct Reply: WireObject {
            package var request: ResetRequest
            package init(request: ResetRequest) { self.request = request }
            package static let codec = Codec(["request"], Self.init) { [$0.request.json] }
        }
    }

    package struct ResetAsOrdered: VarlinkRequest {
        package var account: String?, passphrase: String?, passphraseDescriptor: Int?,
            noPassphrase: Bool?
        package init(account: String? = nil, passphrase: String? = nil,
            passphraseDescriptor: Int? = nil, noPassphrase: Bool? = nil) {
            (self.account, self.passphrase, self.passphraseDescriptor,
                self.noPassphrase) = (account, passphrase, passphraseDescriptor, noPassphrase)
        }
        package static let codec = Codec(["account", "passphrase", "passphraseDescriptor",
            "noPassphrase"], Self.init) {
            [$0.account.json, $0.passphrase.json, $0.passphraseDescriptor.json,
                $0.noPassphrase.json]
        }
    }

    package struct ExamineKeys: VarlinkRequest {
        package var fileDescriptor: Int, exportPassphrase: String?,
            exportPassphraseDescriptor: Int?, recoveryKeyDescriptor: Int?,
            recoveryKeyPassphrase: String?, recoveryKeyPassphraseDescriptor: Int?
        package init(fileDescriptor: Int, exportPassphrase: String? = nil,
            exportPassphraseDescriptor: Int? = nil, recoveryKeyDescriptor: Int? = nil,
            recoveryKeyPassphrase: String? = nil, recoveryKeyPassphraseDescriptor: Int? = nil) {
            (self.fileDescriptor, self.exportPassphrase, self.exportPassphraseDescriptor,
                self.recoveryKeyDescriptor, self.recoveryKeyPassphrase,
                self.recoveryKeyPassphraseDescriptor) = (fileDescriptor, exportPassphrase,
                exportPassphraseDescriptor, recoveryKeyDescriptor, recoveryKeyPassphrase,
                recoveryKeyPassphraseDescriptor)
        }
        package static let codec = Codec(["fileDescriptor", "exportPassphrase",
            "exportPassphraseDescriptor", "recoveryKeyDescriptor", "recoveryKeyPassphrase",
            "recoveryKeyPassphraseDescriptor"], Self.init) {
            [$0.fileDescriptor.json, $0.exportPassphrase.json, $0.exportPassphraseDescriptor.json,
                $0.recoveryKeyDescriptor.json, $0.recoveryKeyPassphrase.json,
                $0.recoveryKeyPassphraseDescriptor.json]
        }
        package struct Reply: WireObject {
            package var export: KeyExport, account: String?, files: Int, opened: Int
            package init(export: KeyExport, account: String? = nil, files: Int, opened: Int) {
                (self.export, self.account, self.files, self.opened) = (export, account, files,
                    opened)
            }
            package static let codec = Codec(["export", "account", "files", "opened"], Self.init) {
                [$0.export.json, $0.account.json, $0.files.json, $0.opened.json]
            }
        }
    }

    package struct CompareKeys: VarlinkRequest {
        package var account: String?, fileDescriptor: Int
        package init(account: String? = nil, fileDescriptor: Int) {
            (self.account, self.fileDescriptor) = (account, fileDescriptor)
        }
        package static let codec = Codec(["account", "fileDescriptor"], Self.init) {
            [$0.account.json, $0.fileDescriptor.json]
        }
        package struct Reply: WireObject {
            package var export: KeyExport, holdsAllKeys: Bool
            package init(export: KeyExport, holdsAllKeys: Bool) {
                (self.export, self.holdsAllKeys) = (export, holdsAllKeys)
            }
            package static let codec = Codec(["export", "holdsAllKeys"], Self.init) {
                [$0.export.json, $0.holdsAllKeys.json]
            }
        }
    }
}
