// The signing key of `--key`.

internal import MAMCommandLine
internal import MAMCrypto
internal import MAMFleet
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Open: its passphrase was asked for.
struct FleetKey {
    let path: ByteString
    let id: Bytes16
    private let seed: SecretBytes

    init(of invocation: Invocation) throws {
        path = try required("key", invocation)
        let file = try readKeyFile(SigningKeyFile.self, path)
        let isSealed = SigningKeyFile.isSealed(file.withBytes { Array($0.prefix(16)) })
        let passphrase =
            isSealed
            ? try invocation.passphrase("Passphrase of \(path.shown)", isNew: false)
                .withBytes { SecretBytes(copying: $0) } : nil
        do throws(SigningKeyFile.Failure) {
            seed = try SigningKeyFile.open(file, passphrase: passphrase)
        } catch { throw Failure(path, error) }
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
