// `account export`, what it shares with `account import`, `recovery keygen` and `recovery show`.

internal import Glibc
internal import MAMCommandLine
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

func exportKeys(_ invocation: Invocation) throws -> ExitStatus {
    let output = try invocation.output()
    let daemon = try invocation.daemon()
    let account = try invocation.account(of: daemon)
    let file = try NewFile(for: output, replacing: invocation.arguments.has("force"))
    var secrets = SecretParameters()
    let current = try invocation.currentPassphrase(of: account, in: &secrets)
    let export = try secrets.add(
        try invocation.passphrase(
            "Passphrase of the export, a strong one", isNew: true, optionPrefix: "export-"))
    let reply = try mamctl.export(
        account, to: file, passphrase: current, sealedBy: export, secrets, daemon)
    if invocation.isJSON {
        printJSON(["path": .string(output.shown), "export": reply.export.json])
    } else {
        printOut("\(account.label): its keys are in \(output.shown)")
        printError(
            "Anyone with this file and its passphrase has the keys, and no wipe reaches it: protect"
                + " it like the"
                + " files themselves.")
    }
    return .success
}

/// Passphrases by their indices among the secrets.
func export(
    _ account: AccountReport, to file: NewFile, passphrase: Int?, sealedBy export: Int,
    _ secrets: SecretParameters, _ daemon: Daemon
) throws -> Varlink.Recovery.ExportKeys.Reply {
    guard workspace(of: file.descriptor) == nil else {
        throw Failure(
            .usage,
            "\(file.path.shown) is in a workspace: the keys would be sealed under themselves there",
            next: "write it elsewhere")
    }
    var secrets = secrets
    let request = Varlink.Recovery.ExportKeys(
        account: account.label, passphraseDescriptor: passphrase,
        exportPassphraseDescriptor: export, fileDescriptor: secrets.add(file.descriptor))
    let reply = try daemon.call(
        request, descriptors: secrets.descriptors, about: "account '\(account.label)'")
    try file.finish(mode: 0o600)
    return reply
}

/// The command in each message about missing keys. FILE is an export, or a recovery record from
/// `.mamd/recovery` in the backing directory.
let importCommand: Message = "mamctl account import FILE"
let importReason: Message = "there are sealed files here without their keys"

/// Opens an export and reads its metadata. Its keys stay sealed.
func readExport(_ path: ByteString) throws -> (Descriptor, KeyExport) {
    let (file, bytes) = try naming(path) { () throws(Errno) -> (Descriptor, [UInt8]) in
        // A pipe would keep us waiting.
        let file = try openFile(path.cString, O_RDONLY | O_NOCTTY | O_NONBLOCK)
        return (file, try readHead(of: file.raw, byteCount: KeyExport.maximumByteCount + 1))
    }
    do throws(KeyExportError) { return (file, try KeyExport.decode(bytes)) } catch {
        let status: ExitStatus =
            switch error {
            case .notAnExport, .newerVersion: .usage
            default: .damaged
            }
        throw Failure(status, "\(path.shown): \(error)")
    }
}

extension Invocation {
    func output() throws(Failure) -> ByteString {
        guard let output = arguments.value("output") else {
            throw .usage(verb, "--output is needed")
        }
        return output
    }
}

func makeRecoveryKey(_ invocation: Invocation) throws -> ExitStatus {
    let (output, publicKey) = try makeKeyFile(RecoveryKeyFile.self, invocation)
    if invocation.isJSON {
        printJSON(["path": .string(output.shown), "publicKey": .string(publicKey.text)])
    } else {
        printOut(verbatim: publicKey.text)
        printError(
            "For the policy: \"mamdRecoveryPublicKey\": \"\(publicKey.text)\"\n\(output.shown)"
                + " opens every account that"
                + " such a policy covers: keep it off those machines, and keep a copy."
        )
    }
    return .success
}

func showExport(_ invocation: Invocation) throws -> ExitStatus {
    let (_, export) = try readExport(invocation.operands[0])
    let account = export.identity
    let lock: (kind: String, key: String?) =
        switch export.lock {
        case .passphrase: ("passphrase", nil)
        case .recoveryKey(let key, _): ("recoveryKey", key.text)
        }
    return invocation.answer(
        [
            "id": .string(export.accountID.bytes.description), "name": .string(account.name),
            "objectId": .string(account.objectID), "written": JSONValue(export.time),
            "sealedUnder": .string(lock.kind), "recoveryKey": JSONValue(lock.key),
        ],
        words: .verbatim(
            table([
                ["account", .verbatim(shown(account.description))],
                ["id", .verbatim(export.accountID.bytes.description)],
                ["sealed", lock.key.map { "to the recovery key \($0)" } ?? "under a passphrase"],
            ])))
}
