// `account import`: an account's keys from another machine.

internal import Glibc
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import MAMWords

private typealias Wire = Varlink.Recovery

func importKeys(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    let source = try ExportSource(invocation)
    let present = try daemon.status().accounts.first { source.isOf($0) }
    guard present != nil || !invocation.arguments.has("join") else {
        throw Failure(
            .refused, "there is no account \(source.label) to join",
            next: "mamctl account import \(source.path.asArgument), which registers it")
    }
    if let present { try invocation.agreeToJoin(present, source, daemon) }
    var (opening, secrets) = try source.opening()
    let passphrase =
        if let present {
            try invocation.currentPassphrase(
                of: present, "Passphrase of \(present.label) here", in: &secrets)
        } else {
            try invocation.newPassphrase(of: source.label, in: &secrets)
        }
    let request = Wire.ImportKeys(
        fileDescriptor: opening.fileDescriptor,
        exportPassphraseDescriptor: opening.exportPassphraseDescriptor,
        recoveryKeyDescriptor: opening.recoveryKeyDescriptor,
        recoveryKeyPassphraseDescriptor: opening.recoveryKeyPassphraseDescriptor,
        passphraseDescriptor: passphrase, noPassphrase: passphrase == nil ? true : nil,
        join: present == nil ? nil : true)
    let imported = try daemon.call(
        request, descriptors: secrets.descriptors, about: .verbatim(source.path.shown)
    ).export
    if invocation.isJSON {
        printJSON(imported.json)
    } else if let present {
        printOut("\(present.label): the keys of \(source.path.shown) open files besides its own")
        printError("Their files are resealed under the account's own keys over time: export those.")
    } else {
        let account = try daemon.status().accounts.first { $0.id == imported.id }
        printOut("\(source.label): imported, and unlocked\(account?.recoveryNote ?? "")")
    }
    return .success
}

/// An exported key file and the secret that opens it. Can be sent several times.
private struct ExportSource {
    let path: ByteString
    let export: KeyExport
    private let file: Descriptor
    private let recoveryKey: Descriptor?
    private let passphrase: SecretBuffer?

    init(_ invocation: Invocation) throws {
        path = invocation.operands[0]
        (file, export) = try readExport(path)
        if let keyPath = invocation.arguments.value("recovery-key") {
            try invocation.refuse(["export-passfile", "export-extpass"], with: "recovery-key")
            (recoveryKey, passphrase) = try invocation.recoveryKey(keyPath)
        } else if case .recoveryKey(let key, _) = export.lock {
            throw Failure(
                .usage, "\(path.shown): \(KeyExportError.needsRecoveryKey(key))",
                next: "mamctl account import \(path.asArgument) --recovery-key FILE")
        } else {
            recoveryKey = nil
            passphrase = try invocation.passphrase(
                "Passphrase of the export", isNew: false, optionPrefix: "export-")
        }
    }

    var label: String { ByteString(export.identity.description).shown }

    /// Compares names as the daemon does.
    func isOf(_ account: AccountReport) -> Bool {
        (try? Identity(name: account.name, objectID: account.objectID))?.matches(export.identity)
            ?? false
    }

    /// What both calls have that open it.
    func opening() throws(Errno) -> (Wire.ExamineKeys, SecretParameters) {
        var secrets = SecretParameters()
        var request = Wire.ExamineKeys(fileDescriptor: secrets.add(file))
        request.recoveryKeyDescriptor = recoveryKey.map { secrets.add($0) }
        let passphrase = try passphrase.map { secret throws(Errno) in try secrets.add(secret) }
        if recoveryKey == nil {
            request.exportPassphraseDescriptor = passphrase
        } else {
            request.recoveryKeyPassphraseDescriptor = passphrase
        }
        return (request, secrets)
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

    /// Shows what the file would add to the account and asks: anyone may have written it.
    fileprivate func agreeToJoin(
        _ account: AccountReport, _ source: ExportSource, _ daemon: Daemon
    ) throws {
        guard account.hasPassphrase || arguments.has("no-passphrase") else {
            throw Failure(
                .usage,
                "\(account.label) has no passphrase: this device alone would open the added keys",
                next: "mamctl account passphrase \(account.label), or add --no-passphrase")
        }
        let (request, secrets) = try source.opening()
        let found = try daemon.call(
            request, descriptors: secrets.descriptors, about: .verbatim(source.path.shown))
        printError(
            "\(account.label) exists already. \(source.path.shown) has keys of \(source.label),"
                + " account \(source.export.accountID.bytes), written"
                + " \((currentTime() - Int(source.export.time)).asTimeAgo). They open"
                + " \(found.opened.grouped) of the \(found.files.counted("sealed file"))"
                + " that need them.")
        if arguments.has("join") { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw Failure(
                .refused, "\(account.label): keys not changed",
                next: "add --join if you trust the source of the file")
        }
        guard try Terminal.askOpenly("Add them to its keys? Type yes to continue").text == "yes"
        else {
            throw Failure(.failure, "\(account.label): keys not changed")
        }
    }
}
