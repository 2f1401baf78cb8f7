// io.mamd.Recovery over the vault, one function per method.

internal import MAMCrypto
internal import MAMEnrollment
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault
package import MAMWire
internal import MAMWorkspace

/// Implements the interface. Stateless.
package struct RecoveryInterface: VaultInterface {
    typealias Wire = Varlink.Recovery

    let tree: Tree

    package init(tree: Tree) { self.tree = tree }

    package func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        switch try call.method(of: Wire.Method.self) {
        case .exportKeys: try exportKeys(call)
        case .importKeys: try importKeys(call)
        case .resetPassphrase: try resetPassphrase(call)
        case .askReset: try askReset(call)
        case .resetAsOrdered: try resetAsOrdered(call)
        case .examineKeys: try examineKeys(call)
        case .compareKeys: try compareKeys(call)
        }
    }

    package func cost(of method: String) -> CallCost {
        switch Wire.Method(rawValue: method) {
        case .exportKeys, .importKeys, .resetPassphrase, .resetAsOrdered, .examineKeys: .derivation
        case .askReset: .long
        case .compareKeys, nil: .short
        }
    }

    private func exportKeys(_ call: VarlinkCall) throws(VarlinkError) -> Wire.ExportKeys.Reply {
        let request: Wire.ExportKeys = try call.request()
        let (account, name) = try account(request.account, call)
        let file = try file(call)
        let passphrase = try call.secret("passphrase")
        guard let exportPassphrase = try call.secret("exportPassphrase") else {
            throw .invalidInput("the export needs a passphrase of its own")
        }
        let export = try keyed(name) { () throws(KeyringError) in
            try KeyTransport(tree).exportKeys(
                of: account, passphrase: passphrase, under: exportPassphrase)
        }
        // Write without holding a lock: the file may be in the mount itself.
        do throws(Errno) {
            try export.bytes.span.withUnsafeBytes { bytes throws(Errno) in
                try writeFully(file.raw, from: bytes, at: 0)
            }
        } catch { throw .systemError(error, "the export") }
        withExtendedLifetime(file) {}
        return .init(export: .init(export))
    }

    private func importKeys(_ call: VarlinkCall) throws(VarlinkError) -> Wire.ImportKeys.Reply {
        let request: Wire.ImportKeys = try call.request()
        let export = try export(call)
        let name = export.identity.description
        if request.join == true {
            guard let account = try account(joinedBy: export, call) else {
                throw .refused(
                    "there is no account '\(name)' to join; without join the import registers it")
            }
            return try join(export, to: account, call)
        }
        if let status = Registration(tree).refusal(
            of: export.identity, user: call.peer.uid, while: { call.isConnected })
        {
            guard status.code != .alreadyEnrolled else { throw .accountExists(name) }
            throw .refused(Message(known: status.errorString ?? status.code.meaning))
        }
        let passphrase = try call.newSecret("passphrase", orNone: "noPassphrase")
        let opened = try open(export, call)
        _ = try keyed(name) { () throws(KeyringError) in
            try KeyTransport(tree).importKeys(
                export, opened, user: call.peer.uid, passphrase: passphrase,
                while: { call.isConnected })
        }
        return .init(export: .init(export))
    }

    private func resetPassphrase(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.ResetPassphrase.Reply {
        let request: Wire.ResetPassphrase = try call.request()
        let (account, name) = try account(request.account, call)
        let export = try export(call)
        let passphrase = try call.newSecret("passphrase", orNone: "noPassphrase")
        let opened = try open(export, call)
        try keyed(name) { () throws(KeyringError) in
            try Passphrases(tree).resetPassphrase(
                of: account, with: export, opened, to: passphrase, user: call.peer.uid)
        }
        return .init(export: .init(export))
    }

    private func examineKeys(_ call: VarlinkCall) throws(VarlinkError) -> Wire.ExamineKeys.Reply {
        _ = try call.request(Wire.ExamineKeys.self)
        let export = try export(call)
        let account = try account(joinedBy: export, call)
        let opened = try open(export, call)
        let files: ExportedFiles
        do throws(SearchEnd) {
            files = try KeyTransport(tree).files(of: export, opened, for: call.peer.uid) {
                call.isConnected
            }
        } catch { throw .refused("the search for files of its keys did not end: \(error)") }
        return .init(
            export: .init(export), account: account.map { "\($0.bytes)" }, files: files.named,
            opened: files.opened)
    }

    private func compareKeys(_ call: VarlinkCall) throws(VarlinkError) -> Wire.CompareKeys.Reply {
        let request: Wire.CompareKeys = try call.request()
        let (account, _) = try account(request.account, call)
        let export = try export(call)
        return .init(
            export: .init(export),
            holdsAllKeys: KeyTransport(tree).holdsAllKeys(export, of: account))
    }

    private func join(
        _ export: KeyExport, to account: AccountID, _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.ImportKeys.Reply {
        // The caller must say explicitly that the account has no passphrase.
        let passphrase = try call.newSecret("passphrase", orNone: "noPassphrase")
        let opened = try open(export, call)
        try keyed(vault.identity(of: account).description) { () throws(KeyringError) in
            try KeyTransport(tree).joinKeys(
                export, opened, to: account, user: call.peer.uid, passphrase: passphrase,
                while: { call.isConnected })
        }
        return .init(export: .init(export))
    }

    private func account(
        joinedBy export: KeyExport, _ call: VarlinkCall
    ) throws(VarlinkError) -> AccountID? {
        guard let account = KeyTransport(tree).account(joinedBy: export) else { return nil }
        try requireControl(call, of: vault.identity(of: account))
        return account
    }

    // MARK: A call's arguments

    private func file(_ call: VarlinkCall) throws(VarlinkError) -> Descriptor {
        guard let file = try call.descriptor("fileDescriptor") else {
            throw .invalidParameter("fileDescriptor")
        }
        try requireOrdinary(file, call)
        return file
    }

    private func export(_ call: VarlinkCall) throws(VarlinkError) -> KeyExport {
        let file = try file(call)
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try withExtendedLifetime(file) { () throws(Errno) in
                try readHead(of: file.raw, byteCount: KeyExport.maximumByteCount + 1)
            }
        } catch { throw .systemError(error, "the export") }
        do throws(KeyExportError) { return try KeyExport.decode(bytes) } catch {
            throw VarlinkError(error, "")
        }
    }

    private func open(
        _ export: KeyExport, _ call: VarlinkCall
    ) throws(VarlinkError) -> ExportedKeys {
        let passphrase = try call.secret("exportPassphrase")
        let recoveryKey = try call.descriptor("recoveryKeyDescriptor")
        guard (passphrase == nil) != (recoveryKey == nil) else {
            throw .invalidInput("give either the export's passphrase or a recovery key")
        }
        var pair: Curve25519.KeyPair?
        if let recoveryKey { pair = try keyPair(in: recoveryKey, call) }
        do throws(KeyExportError) {
            if let pair { return try export.open(recoveryKey: pair) }
            return try export.open(
                passphrase: passphrase ?? SecretBytes(count: 0), for: call.peer.uid)
        } catch { throw VarlinkError(error, export.identity.description) }
    }

    private func keyPair(
        in file: Descriptor, _ call: VarlinkCall
    ) throws(VarlinkError) -> Curve25519.KeyPair {
        try requireOrdinary(file, call)
        let passphrase = try call.secret("recoveryKeyPassphrase")
        // One more byte, to detect a file that is too long.
        let room = SecretBytes(count: RecoveryKeyFile.byteCount + 1)
        let count: Int
        do throws(Errno) {
            count = try room.withMutableBytes { buffer throws(Errno) in
                try withExtendedLifetime(file) { () throws(Errno) in
                    try readFully(file.raw, into: buffer, at: 0)
                }
            }
        } catch { throw .systemError(error, "the recovery key") }
        let key = room.withBytes { SecretBytes(copying: .init(rebasing: $0[..<count])) }
        do throws(RecoveryKeyFile.Failure) {
            return try RecoveryKeyFile.open(key, passphrase: passphrase, for: call.peer.uid)
        } catch {
            switch error {
            case .damaged: throw .damaged("the recovery key: \(error)")
            case .wrongPassphrase, .passphraseRequired:
                throw .wrongPassphrase("", retryAfterSeconds: 0)
            default: throw .invalidInput("the recovery key: \(error)")
            }
        }
    }
}

extension Varlink.Recovery.KeyExport {
    init(_ export: KeyExport) {
        let recoveryKey: String? =
            if case .recoveryKey(let key, _) = export.lock { key.shortName } else { nil }
        self.init(
            id: export.accountID.bytes.description, name: export.identity.name,
            objectID: export.identity.objectID, written: Int(export.time),
            recoveryKey: recoveryKey)
    }
}

extension VarlinkError {
    init(_ error: KeyExportError, _ name: String) {
        switch error {
        case .wrongPassphrase:
            self = .wrongPassphrase("", retryAfterSeconds: 0)
        case .wrongLength, .checksum, .field, .tooCostly, .notAuthentic:
            self = .damaged("the exported keys: \(error)")
        default: self = .invalidInput("the exported keys: \(error)")
        }
    }
}
