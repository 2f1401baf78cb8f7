// From docs/io.mamd.Recovery.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

extension Varlink { package enum Recovery {} }
extension Varlink.Recovery {
    package static let name = "io.mamd.Recovery"
    package enum Method: String, Sendable, CaseIterable {
        case exportKeys = "ExportKeys", importKeys = "ImportKeys",
            resetPassphrase = "ResetPassphrase", examineKeys = "ExamineKeys"
    }

    package struct KeyExport: WireObject, Equatable {
        package var id: String, name: String, objectID: String, written: Int, recoveryKey: String?
        package init(id: String, name: String, objectID: String, written: Int,
            recoveryKey: String? = nil) {
            (self.id, self.name, self.objectID, self.written, self.recoveryKey) = (id, name,
                objectID, written, recoveryKey)
        }
        package static let codec = Codec(Self.init, ("id", \.id), ("name", \.name),
            ("objectId", \.objectID), ("written", \.written), ("recoveryKey", \.recoveryKey))
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
        package static let codec = Codec(Self.init, ("account", \.account),
            ("passphrase", \.passphrase), ("passphraseDescriptor", \.passphraseDescriptor),
            ("exportPassphrase", \.exportPassphrase),
            ("exportPassphraseDescriptor", \.exportPassphraseDescriptor),
            ("fileDescriptor", \.fileDescriptor))
        package struct Reply: WireObject {
            package var export: KeyExport
            package init(export: KeyExport) { self.export = export }
            package static let codec = Codec(Self.init, ("export", \.export))
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
        package static let codec = Codec(Self.init, ("fileDescriptor", \.fileDescriptor),
            ("exportPassphrase", \.exportPassphrase),
            ("exportPassphraseDescriptor", \.exportPassphraseDescriptor),
            ("recoveryKeyDescriptor", \.recoveryKeyDescriptor),
            ("recoveryKeyPassphrase", \.recoveryKeyPassphrase),
            ("recoveryKeyPassphraseDescriptor", \.recoveryKeyPassphraseDescriptor),
            ("passphrase", \.passphrase), ("passphraseDescriptor", \.passphraseDescriptor),
            ("noPassphrase", \.noPassphrase), ("join", \.join))
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
        package static let codec = Codec(Self.init, ("account", \.account),
            ("fileDescriptor", \.fileDescriptor), ("exportPassphrase", \.exportPassphrase),
            ("exportPassphraseDescriptor", \.exportPassphraseDescriptor),
            ("recoveryKeyDescriptor", \.recoveryKeyDescriptor),
            ("recoveryKeyPassphrase", \.recoveryKeyPassphrase),
            ("recoveryKeyPassphraseDescriptor", \.recoveryKeyPassphraseDescriptor),
            ("passphrase", \.passphrase), ("passphraseDescriptor", \.passphraseDescriptor),
            ("noPassphrase", \.noPassphrase))
        package typealias Reply = ExportKeys.Reply
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
        package static let codec = Codec(Self.init, ("fileDescriptor", \.fileDescriptor),
            ("exportPassphrase", \.exportPassphrase),
            ("exportPassphraseDescriptor", \.exportPassphraseDescriptor),
            ("recoveryKeyDescriptor", \.recoveryKeyDescriptor),
            ("recoveryKeyPassphrase", \.recoveryKeyPassphrase),
            ("recoveryKeyPassphraseDescriptor", \.recoveryKeyPassphraseDescriptor))
        package struct Reply: WireObject {
            package var export: KeyExport, account: String?, files: Int, opened: Int
            package init(export: KeyExport, account: String? = nil, files: Int, opened: Int) {
                (self.export, self.account, self.files, self.opened) = (export, account, files,
                    opened)
            }
            package static let codec = Codec(Self.init, ("export", \.export),
                ("account", \.account), ("files", \.files), ("opened", \.opened))
        }
    }
}
