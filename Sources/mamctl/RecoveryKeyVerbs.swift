// `recovery keygen` and `recovery show`: an organisation's recovery key. Neither needs a daemon.

internal import Glibc
internal import MAMCrypto
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

func makeRecoveryKey(_ invocation: Invocation) throws -> ExitStatus {
    let output = try invocation.output()
    let new = try NewFile(
        for: output, replacing: false,
        insteadOfReplacing: "name another file; a key is never replaced")
    var passphrase: SecretBytes?
    if invocation.arguments.has("no-passphrase") {
        try invocation.refuse(["passfile", "extpass"], with: "no-passphrase")
    } else {
        let secret = try invocation.passphrase(
            "Passphrase for the recovery key", isNew: true)
        try refuseWeak(secret)
        passphrase = secret.withBytes { SecretBytes(copying: $0) }
    }
    let (publicKey, file) = try made(passphrase)
    try naming(output) { () throws(Errno) in
        try file.withBytes { bytes throws(Errno) in
            try writeFully(new.descriptor.raw, from: bytes, at: 0)
        }
    }
    try new.finishPrivately()
    if invocation.isJSON {
        printJSON(["path": .string(output.shown), "publicKey": .string(publicKey.text)])
    } else {
        printOut(publicKey.text)
        printError(
            "For the policy: \"mamdRecoveryPublicKey\": \"\(publicKey.text)\"\n\(output.shown)"
                + " opens every account that"
                + " such a policy covers: keep it off those machines, and keep a copy."
        )
    }
    return .success
}

/// Uses built-in rules, not a policy: the key is for accounts on other machines.
private func refuseWeak(_ secret: borrowing SecretBuffer) throws(Failure) {
    guard let flaw = secret.withBytes({ PinRules().flaw(forFile: $0) }) else { return }
    throw Failure(
        .refused, "the recovery key's passphrase is too weak: \(flaw)",
        next: "mamctl recovery keygen, with a better passphrase")
}

private func made(
    _ passphrase: SecretBytes?
) throws(Failure) -> (publicKey: RecoveryPublicKey, file: SecretBytes) {
    do throws(RecoveryKeyFile.Failure) {
        return try RecoveryKeyFile.make(passphrase: passphrase)
    } catch { throw Failure(.failure, "no recovery key was created: \(error)") }
}

func showExport(_ invocation: Invocation) throws -> ExitStatus {
    let (_, export) = try readExport(invocation.operands[0])
    let account = export.identity
    let lock: (kind: String, key: String?) =
        switch export.lock {
        case .passphrase: ("passphrase", nil)
        case .recoveryKey(let key, _): ("recoveryKey", key.text)
        }
    if invocation.isJSON {
        printJSON([
            "id": .string(export.accountID.bytes.description), "name": .string(account.name),
            "objectId": .string(account.objectID), "written": JSONValue(export.time),
            "sealedUnder": .string(lock.kind), "recoveryKey": JSONValue(lock.key),
        ])
    } else {
        printOut(
            table([
                ["account", ByteString(account.description).shown],
                ["id", export.accountID.bytes.description],
                ["sealed", lock.key.map { "to the recovery key \($0)" } ?? "under a passphrase"],
            ]))
    }
    return .success
}
