// From docs/io.mamd.Protection.varlink by scripts/generate-interfaces: change that, and run this.
// swift-format-ignore-file

package import MAMModel

extension Varlink { package enum Protection {} }
extension Varlink.Protection {
    package static let name = "io.mamd.Protection"
    package enum Method: String, Sendable, CaseIterable {
        case protect = "Protect", verifyAndProtect = "VerifyAndProtect",
            encryptFile = "EncryptFile", decryptFile = "DecryptFile",
            isFileEncrypted = "IsFileEncrypted", protectData = "ProtectData",
            unprotectData = "UnprotectData", dataInfo = "DataInfo", protectString = "ProtectString",
            unprotectString = "UnprotectString", stringInfo = "StringInfo"
    }
    package enum ErrorName: String, Sendable, CaseIterable {
        case fileFailed = "FileFailed", dataFailed = "DataFailed"
    }

    package typealias ProtectionClass = MAMModel.ProtectionClass
    package typealias ProtectionState = MAMModel.ProtectionState
    package typealias Protection = Varlink.Workspace.Protection

    package struct ProtectedFile: WireObject, Equatable {
        package var path: String, changed: Bool, protection: Protection
        package init(path: String, changed: Bool, protection: Protection) {
            (self.path, self.changed, self.protection) = (path, changed, protection)
        }
        package static let codec = Codec(["path", "changed", "protection"], Self.init) {
            [$0.path.json, $0.changed.json, $0.protection.json]
        }
    }

    package struct Failure: WireObject, Equatable {
        package var path: String, status: Int, name: String, cause: String, reason: String,
            words: [String]?, next: String?
        package init(path: String, status: Int, name: String, cause: String, reason: String,
            words: [String]? = nil, next: String? = nil) {
            (self.path, self.status, self.name, self.cause, self.reason, self.words,
                self.next) = (path, status, name, cause, reason, words, next)
        }
        package static let codec = Codec(["path", "status", "name", "cause", "reason", "words",
            "next"], Self.init) {
            [$0.path.json, $0.status.json, $0.name.json, $0.cause.json, $0.reason.json,
                $0.words.json, $0.next.json]
        }
    }

    package struct Summary: WireObject, Equatable {
        package var files: Int, changed: Int, failed: Int
        package init(files: Int, changed: Int, failed: Int) {
            (self.files, self.changed, self.failed) = (files, changed, failed)
        }
        package static let codec = Codec(["files", "changed", "failed"], Self.init) {
            [$0.files.json, $0.changed.json, $0.failed.json]
        }
    }

    package struct Protect: VarlinkRequest {
        package var owner: String?, unmanaged: Bool?, path: String?, fileDescriptor: Int?,
            override: String?
        package init(owner: String? = nil, unmanaged: Bool? = nil, path: String? = nil,
            fileDescriptor: Int? = nil, override: String? = nil) {
            (self.owner, self.unmanaged, self.path, self.fileDescriptor, self.override) = (owner,
                unmanaged, path, fileDescriptor, override)
        }
        package static let codec = Codec(["owner", "unmanaged", "path", "fileDescriptor",
            "override"], Self.init) {
            [$0.owner.json, $0.unmanaged.json, $0.path.json, $0.fileDescriptor.json,
                $0.override.json]
        }
        package struct Reply: WireObject {
            package var file: ProtectedFile?, failure: Failure?, summary: Summary?
            package init(file: ProtectedFile? = nil, failure: Failure? = nil,
                summary: Summary? = nil) {
                (self.file, self.failure, self.summary) = (file, failure, summary)
            }
            package static let codec = Codec(["file", "failure", "summary"], Self.init) {
                [$0.file.json, $0.failure.json, $0.summary.json]
            }
        }
    }

    package struct VerifyAndProtect: VarlinkRequest {
        package var owner: String?, unmanaged: Bool?, path: String?, fileDescriptor: Int?,
            override: String?
        package init(owner: String? = nil, unmanaged: Bool? = nil, path: String? = nil,
            fileDescriptor: Int? = nil, override: String? = nil) {
            (self.owner, self.unmanaged, self.path, self.fileDescriptor, self.override) = (owner,
                unmanaged, path, fileDescriptor, override)
        }
        package static let codec = Codec(["owner", "unmanaged", "path", "fileDescriptor",
            "override"], Self.init) {
            [$0.owner.json, $0.unmanaged.json, $0.path.json, $0.fileDescriptor.json,
                $0.override.json]
        }
        package typealias Reply = Protect.Reply
    }

    package struct EncryptFile: VarlinkRequest {
        package var owner: String?, path: String?, fileDescriptor: Int?, override: String?
        package init(owner: String? = nil, path: String? = nil, fileDescriptor: Int? = nil,
            override: String? = nil) {
            (self.owner, self.path, self.fileDescriptor, self.override) = (owner, path,
                fileDescriptor, override)
        }
        package static let codec = Codec(["owner", "path", "fileDescriptor",
            "override"], Self.init) {
            [$0.owner.json, $0.path.json, $0.fileDescriptor.json, $0.override.json]
        }
        package struct Reply: WireObject {
            package var protection: Protection
            package init(protection: Protection) { self.protection = protection }
            package static let codec = Codec(["protection"], Self.init) { [$0.protection.json] }
        }
    }

    package struct DecryptFile: VarlinkRequest {
        package var path: String?, fileDescriptor: Int?, override: String?
        package init(path: String? = nil, fileDescriptor: Int? = nil, override: String? = nil) {
            (self.path, self.fileDescriptor, self.override) = (path, fileDescriptor, override)
        }
        package static let codec = Codec(["path", "fileDescriptor", "override"], Self.init) {
            [$0.path.json, $0.fileDescriptor.json, $0.override.json]
        }
        package typealias Reply = EncryptFile.Reply
    }

    package struct IsFileEncrypted: VarlinkRequest {
        package var path: String?, fileDescriptor: Int?
        package init(path: String? = nil, fileDescriptor: Int? = nil) {
            (self.path, self.fileDescriptor) = (path, fileDescriptor)
        }
        package static let codec = Codec(["path", "fileDescriptor"], Self.init) {
            [$0.path.json, $0.fileDescriptor.json]
        }
        package struct Reply: WireObject {
            package var encrypted: Bool
            package init(encrypted: Bool) { self.encrypted = encrypted }
            package static let codec = Codec(["encrypted"], Self.init) { [$0.encrypted.json] }
        }
    }

    package struct ProtectData: VarlinkRequest {
        package var owner: String?, unmanaged: Bool?, strict: Bool?, sourceDescriptor: Int?,
            destinationDescriptor: Int?, override: String?
        package init(owner: String? = nil, unmanaged: Bool? = nil, strict: Bool? = nil,
            sourceDescriptor: Int? = nil, destinationDescriptor: Int? = nil,
            override: String? = nil) {
            (self.owner, self.unmanaged, self.strict, self.sourceDescriptor,
                self.destinationDescriptor, self.override) = (owner, unmanaged, strict,
                sourceDescriptor, destinationDescriptor, override)
        }
        package static let codec = Codec(["owner", "unmanaged", "strict", "sourceDescriptor",
            "destinationDescriptor", "override"], Self.init) {
            [$0.owner.json, $0.unmanaged.json, $0.strict.json, $0.sourceDescriptor.json,
                $0.destinationDescriptor.json, $0.override.json]
        }
        package struct Reply: WireObject {
            package var bytes: Int
            package init(bytes: Int) { self.bytes = bytes }
            package static let codec = Codec(["bytes"], Self.init) { [$0.bytes.json] }
        }
    }

    package struct UnprotectData: VarlinkRequest {
        package var strict: Bool?, sourceDescriptor: Int?, destinationDescriptor: Int?,
            ownUse: Bool?, override: String?
        package init(strict: Bool? = nil, sourceDescriptor: Int? = nil,
            destinationDescriptor: Int? = nil, ownUse: Bool? = nil, override: String? = nil) {
            (self.strict, self.sourceDescriptor, self.destinationDescriptor, self.ownUse,
                self.override) = (strict, sourceDescriptor, destinationDescriptor, ownUse, override)
        }
        package static let codec = Codec(["strict", "sourceDescriptor", "destinationDescriptor",
            "ownUse", "override"], Self.init) {
            [$0.strict.json, $0.sourceDescriptor.json, $0.destinationDescriptor.json,
                $0.ownUse.json, $0.override.json]
        }
        package struct Reply: WireObject {
            package var bytes: Int, protected: Bool
            package init(bytes: Int, protected: Bool) {
                (self.bytes, self.protected) = (bytes, protected)
            }
            package static let codec = Codec(["bytes", "protected"], Self.init) {
                [$0.bytes.json, $0.protected.json]
            }
        }
    }

    package struct DataInfo: VarlinkRequest {
        package var sourceDescriptor: Int?
        package init(sourceDescriptor: Int? = nil) { self.sourceDescriptor = sourceDescriptor }
        package static let codec = Codec(["sourceDescriptor"], Self.init) {
            [$0.sourceDescriptor.json]
        }
        package struct Reply: WireObject {
            package var protection: Protection?, status: Int
            package init(protection: Protection? = nil, status: Int) {
                (self.protection, self.status) = (protection, status)
            }
            package static let codec = Codec(["protection", "status"], Self.init) {
                [$0.protection.json, $0.status.json]
            }
        }
    }

    package struct ProtectString: VarlinkRequest {
        package var owner: String?, unmanaged: Bool?, text: String?
        package init(owner: String? = nil, unmanaged: Bool? = nil, text: String? = nil) {
            (self.owner, self.unmanaged, self.text) = (owner, unmanaged, text)
        }
        package static let codec = Codec(["owner", "unmanaged", "text"], Self.init) {
            [$0.owner.json, $0.unmanaged.json, $0.text.json]
        }
        package struct Reply: WireObject {
            package var text: String
            package init(text: String) { self.text = text }
            package static let codec = Codec(["text"], Self.init) { [$0.text.json] }
        }
    }

    package struct UnprotectString: VarlinkRequest {
        package var text: String?, ownUse: Bool?, override: String?
        package init(text: String? = nil, ownUse: Bool? = nil, override: String? = nil) {
            (self.text, self.ownUse, self.override) = (text, ownUse, override)
        }
        package static let codec = Codec(["text", "ownUse", "override"], Self.init) {
            [$0.text.json, $0.ownUse.json, $0.override.json]
        }
        package struct Reply: WireObject {
            package var text: String, protected: Bool
            package init(text: String, protected: Bool) {
                (self.text, self.protected) = (text, protected)
            }
            package static let codec = Codec(["text", "protected"], Self.init) {
                [$0.text.json, $0.protected.json]
            }
        }
    }

    package struct StringInfo: VarlinkRequest {
        package var text: String?
        package init(text: String? = nil) { self.text = text }
        package static let codec = Codec(["text"], Self.init) { [$0.text.json] }
        package typealias Reply = DataInfo.Reply
    }

    package struct FileFailed: VarlinkFailure {
        package var status: Int, name: String, cause: String, account: String?, kind: String?,
            reason: String, words: [String]?, next: String?
        package init(status: Int, name: String, cause: String, account: String? = nil,
            kind: String? = nil, reason: String, words: [String]? = nil, next: String? = nil) {
            (self.status, self.name, self.cause, self.account, self.kind, self.reason, self.words,
                self.next) = (status, name, cause, account, kind, reason, words, next)
        }
        package static let codec = Codec(["status", "name", "cause", "account", "kind", "reason",
            "words", "next"], Self.init) {
            [$0.status.json, $0.name.json, $0.cause.json, $0.account.json, $0.kind.json,
                $0.reason.json, $0.words.json, $0.next.json]
        }
    }

    package struct DataFailed: VarlinkFailure {
        package var status: Int, name: String, cause: String, account: String?, kind: String?,
            reason: String, words: [String]?, next: String?
        package init(status: Int, name: String, cause: String, account: String? = nil,
            kind: String? = nil, reason: String, words: [String]? = nil, next: String? = nil) {
            (self.status, self.name, self.cause, self.account, self.kind, self.reason, self.words,
                self.next) = (status, name, cause, account, kind, reason, words, next)
        }
        package static let codec = Codec(["status", "name", "cause", "account", "kind", "reason",
            "words", "next"], Self.init) {
            [$0.status.json, $0.name.json, $0.cause.json, $0.account.json, $0.kind.json,
                $0.reason.json, $0.words.json, $0.next.json]
        }
    }
}
