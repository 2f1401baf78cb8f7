// `fleet passphrase`: the same signing key, sealed under another passphrase.

internal import MAMCommandLine
internal import MAMCrypto
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func changeKeyPassphrase(_ invocation: Invocation) throws -> ExitStatus {
    // What a link names is replaced: the key must stay on the stick that it is on.
    let given = invocation.operands[0]
    let path = given.resolved ?? given
    let seed = try openKeyFile(SigningKeyFile.self, path, invocation)
    let passphrase = try newPassphrase(of: path, invocation)
    let publicKey: SigningKeyFile.PublicKey
    let file: SecretBytes
    do throws(SigningKeyFile.Failure) {
        (publicKey, file) = try SigningKeyFile.file(of: seed, passphrase: passphrase)
    } catch { throw Failure(path, error) }
    // The former file stays until the new one is durable.
    let new = try NewFile(for: path, replacing: true)
    try naming(path) { () throws(Errno) in
        try file.withBytes { bytes throws(Errno) in
            try writeFully(new.descriptor.raw, from: bytes, at: 0)
        }
    }
    try new.finish(mode: 0o600)
    if invocation.isJSON {
        printJSON(publicKey.json.merging(["path": .string(path.shown)]))
    } else {
        printOut(
            passphrase == nil
                ? "\(path.shown) has no passphrase any more: the file alone signs"
                : "\(path.shown) has another passphrase")
        printError("Copies of the file keep the former one.")
    }
    return .success
}

/// Nil for none.
private func newPassphrase(
    of path: ByteString, _ invocation: Invocation
) throws -> SecretBytes? {
    if invocation.arguments.has("no-passphrase") {
        try invocation.refuse(["new-passfile", "new-extpass"], with: "no-passphrase")
        return nil
    }
    let secret = try invocation.passphrase(
        "New passphrase of \(path.shown)", isNew: true, optionPrefix: "new-")
    try refuseWeak(secret, for: SigningKey.self)
    return secret.withBytes { SecretBytes(copying: $0) }
}
