// Files with an account's keys: exports and recovery records, with what opens them.

internal import Glibc
internal import MAMCommandLine
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// An exported key file and the secret that opens it. Can be sent several times.
struct ExportSource {
    let path: ByteString
    let export: KeyExport
    private let file: Descriptor
    private let recoveryKey: Descriptor?
    private let passphrase: SecretBuffer?

    /// `check`: before anybody is asked for its passphrase.
    init(
        _ invocation: Invocation, at path: ByteString,
        _ check: (KeyExport) throws -> Void = { _ in }
    ) throws {
        self.path = path
        (file, export) = try readExport(path)
        try check(export)
        if let keyPath = invocation.arguments.value("recovery-key") {
            try invocation.refuse(["export-passfile", "export-extpass"], with: "recovery-key")
            (recoveryKey, passphrase) = try invocation.recoveryKey(keyPath)
        } else if case .recoveryKey(let key, _) = export.lock {
            throw Failure(
                .usage, "\(path.shown): \(KeyExportError.needsRecoveryKey(key))",
                next: "add --recovery-key FILE")
        } else {
            recoveryKey = nil
            passphrase = try invocation.passphrase(
                "Passphrase of \(path.shown)", isNew: false, optionPrefix: "export-")
        }
    }

    var label: String { shown(export.identity.description) }

    /// Compares names as the daemon does.
    func isOf(_ account: AccountReport) -> Bool {
        (try? Identity(name: account.name, objectID: account.objectID))?.matches(export.identity)
            ?? false
    }

    /// What both calls have that open it.
    func opening() throws(Errno) -> (Varlink.Recovery.ExamineKeys, SecretParameters) {
        var secrets = SecretParameters()
        var request = Varlink.Recovery.ExamineKeys(fileDescriptor: secrets.add(file))
        request.recoveryKeyDescriptor = recoveryKey.map { secrets.add($0) }
        let passphrase = try secrets.add(passphrase)
        if recoveryKey == nil {
            request.exportPassphraseDescriptor = passphrase
        } else {
            request.recoveryKeyPassphraseDescriptor = passphrase
        }
        return (request, secrets)
    }

    /// Registers its account. `passphrase`: adds the account's to the secrets, for nil the device
    /// alone opens it. `joins`: adds the keys to those of the account of that name.
    func importKeys(
        into daemon: Daemon, joins: Bool = false,
        _ passphrase: (inout SecretParameters) throws -> Int?
    ) throws -> Varlink.Recovery.KeyExport {
        var (opening, secrets) = try opening()
        let passphrase = try passphrase(&secrets)
        let request = Varlink.Recovery.ImportKeys(
            fileDescriptor: opening.fileDescriptor,
            exportPassphraseDescriptor: opening.exportPassphraseDescriptor,
            recoveryKeyDescriptor: opening.recoveryKeyDescriptor,
            recoveryKeyPassphraseDescriptor: opening.recoveryKeyPassphraseDescriptor,
            passphraseDescriptor: passphrase, noPassphrase: passphrase == nil ? true : nil,
            join: joins ? true : nil)
        return try daemon.call(
            request, descriptors: secrets.descriptors, about: .verbatim(path.shown)
        ).export
    }
}

extension Invocation {
    /// Opens the recovery key for the daemon. Only its first bytes are read here.
    fileprivate func recoveryKey(
        _ path: ByteString
    ) throws -> (Descriptor, passphrase: SecretBuffer?) {
        let (file, head) = try naming(path) { () throws(Errno) -> (Descriptor, [UInt8]) in
            let file = try openFile(path.cString, O_RDONLY | O_NOCTTY)
            return (file, try readHead(of: file.raw, byteCount: 16))
        }
        guard RecoveryKeyFile.isSealed(head) else { return (file, nil) }
        return (
            file,
            try passphrase("Passphrase of \(path.shown)", isNew: false, optionPrefix: "key-")
        )
    }
}
