// `recovery keygen` and `recovery show`: an organisation's recovery key. Neither needs a daemon.

internal import MAMCommandLine
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMWire

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
