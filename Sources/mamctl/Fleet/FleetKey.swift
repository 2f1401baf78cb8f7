// Signing keys: `fleet keygen`, `fleet key`, and the key of `--key`.

internal import MAMCommandLine
internal import MAMCrypto
internal import MAMFleet
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func makeSigningKey(_ invocation: Invocation) throws -> ExitStatus {
    let (output, publicKey) = try makeKeyFile(SigningKeyFile.self, invocation)
    if invocation.isJSON {
        printJSON(publicKey.json.merging(["path": .string(output.shown)]))
    } else {
        printOut(verbatim: publicKey.text)
        printError(
            "Give this line to whoever makes the root; its id is \(publicKey.id).\n\(output.shown)"
                + " signs for the organisation: keep it off the machines that obey it, and keep a"
                + " copy.")
    }
    return .success
}

func showSigningKey(_ invocation: Invocation) throws -> ExitStatus {
    let operand = invocation.operands[0]
    let publicKey =
        if let given = operand.text.flatMap(SigningPublicKey.init(text:)) {
            given
        } else { try FleetKey.publicKey(of: operand) }
    return invocation.answer(
        publicKey.json,
        words: .verbatim(
            table([
                ["id", .verbatim(publicKey.id.description)],
                ["public key", .verbatim(publicKey.text)],
            ])))
}

extension SigningPublicKey {
    /// As roots and signatures name the key.
    var id: Bytes16 { Bytes16(ofKey: bytes) }

    var json: JSONValue {
        ["id": .string(id.description), "publicKey": .string(text)]
    }
}

/// Open: its passphrase was asked for.
struct FleetKey {
    let path: ByteString
    let id: Bytes16
    private let seed: SecretBytes

    init(of invocation: Invocation) throws {
        path = try required("key", invocation)
        seed = try openKeyFile(SigningKeyFile.self, path, invocation)
        guard let publicKey = Ed25519.publicKey(ofSeed: seed) else {
            throw Failure(.damaged, "\(path.shown): it was changed or damaged")
        }
        id = Bytes16(ofKey: publicKey)
    }

    static func publicKey(of path: ByteString) throws(Failure) -> SigningPublicKey {
        let file = try readKeyFile(SigningKeyFile.self, path)
        do throws(SigningKeyFile.Failure) { return try SigningKeyFile.publicKey(of: file) } catch {
            throw Failure(path, error)
        }
    }

    /// A signature that counts for nothing would look like one that does.
    func require(_ role: Role, in root: Root) throws(Failure) {
        guard root.keys(of: role)[id] == nil else { return }
        let roles = Role.allCases.filter { root.keys(of: $0)[id] != nil }.map(\.rawValue)
        let known: Message =
            roles.isEmpty
            ? "the root does not list it" : "it has the role \(roles.joined(separator: ", "))"
        throw Failure(
            .refused,
            "\(path.shown): key \(id) lacks the role \(role.rawValue): \(known)",
            next: "sign with a key of the role; mamctl fleet verify ROOT lists them")
    }

    func sign(_ envelope: inout Envelope) throws(Failure) {
        guard envelope.sign(with: seed) else {
            throw Failure(.failure, "\(path.shown): nothing was signed")
        }
    }
}

/// Opens a private key's file here, for which it may need its passphrase. `optionPrefix`: of the
/// options that name that.
func openKeyFile<Kind>(
    _ kind: PrivateKeyFile<Kind>.Type, _ path: ByteString, _ invocation: Invocation,
    optionPrefix: String = ""
) throws -> Kind.Pair {
    let file = try readKeyFile(kind, path)
    let isSealed = kind.isSealed(file.withBytes { Array($0.prefix(16)) })
    let passphrase =
        isSealed
        ? try invocation.passphrase(
            "Passphrase of \(path.shown)", isNew: false, optionPrefix: optionPrefix
        ).withBytes { SecretBytes(copying: $0) } : nil
    do throws(PrivateKeyFile<Kind>.Failure) {
        return try kind.open(file, passphrase: passphrase)
    } catch { throw Failure(path, error) }
}
