// Files of private keys: what `recovery keygen` and `fleet keygen` share, and who opens them.

internal import Glibc
internal import MAMCommandLine
internal import MAMCrypto
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMOffice
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

/// Writes the private half to the verb's output.
func makeKeyFile<Kind>(
    _ kind: PrivateKeyFile<Kind>.Type, _ invocation: Invocation
) throws -> (output: ByteString, publicKey: WrittenPublicKey<Kind.Use>) {
    let output = try invocation.output()
    let new = try NewFile(
        for: output, replacing: false,
        insteadOfReplacing: "name another file; a key is never replaced")
    var passphrase: SecretBytes?
    if invocation.arguments.has("no-passphrase") {
        try invocation.refuse(["passfile", "extpass"], with: "no-passphrase")
    } else {
        let secret = try invocation.passphrase("Passphrase for the \(Kind.words)", isNew: true)
        try refuseWeak(secret, for: Kind.self)
        passphrase = secret.withBytes { SecretBytes(copying: $0) }
    }
    let (publicKey, file) = try made(kind, passphrase)
    try naming(output) { () throws(Errno) in
        try file.withBytes { bytes throws(Errno) in
            try writeFully(new.descriptor.raw, from: bytes, at: 0)
        }
    }
    try new.finish(mode: 0o600)
    return (output, publicKey)
}

/// Uses built-in rules, not a policy: the key is for other machines.
func refuseWeak<Kind: KeyFileKind>(
    _ secret: borrowing SecretBuffer, for kind: Kind.Type
) throws(Failure) {
    guard let flaw = secret.withBytes({ PinRules().flaw(forFile: $0) }) else { return }
    throw Failure(
        .refused, "the \(Kind.words)'s passphrase is too weak: \(flaw)",
        next: "mamctl \(Kind.verb), with a better passphrase")
}

private func made<Kind>(
    _ kind: PrivateKeyFile<Kind>.Type, _ passphrase: SecretBytes?
) throws(Failure) -> (publicKey: WrittenPublicKey<Kind.Use>, file: SecretBytes) {
    do throws(PrivateKeyFile<Kind>.Failure) {
        return try PrivateKeyFile<Kind>.make(passphrase: passphrase)
    } catch { throw Failure(.failure, "no \(Kind.words) was created: \(error)") }
}

/// Sealed or not. One more byte than it has, to detect a file that is too long.
func readKeyFile<Kind>(
    _ kind: PrivateKeyFile<Kind>.Type, _ path: ByteString
) throws(Failure) -> SecretBytes {
    try naming(path, SecretBytes.read(path.cString, atMost: PrivateKeyFile<Kind>.byteCount + 1))
}

extension KeyFileKind {
    fileprivate static var words: Message { Message(known: name) }
}

extension Failure {
    init<Kind>(_ path: ByteString, _ error: PrivateKeyFile<Kind>.Failure) {
        let status: ExitStatus =
            switch error {
            case .damaged: .damaged
            case .wrongPassphrase, .passphraseRequired: .wrongPassphrase
            case .notAKey, .newerVersion, .passphraseNotUsed: .usage
            case .derivation: .failure
            }
        self.init(
            status, "\(path.shown): \(error)",
            next: status == .wrongPassphrase ? "enter it again" : "name a \(Kind.words)'s file")
    }
}
