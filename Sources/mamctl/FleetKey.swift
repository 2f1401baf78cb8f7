// The signing key of `--key`.

internal import Glibc
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
        let file = try Self.read(path)
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
        let file = try read(path)
        do throws(SigningKeyFile.Failure) { return try SigningKeyFile.publicKey(of: file) } catch {
            throw Failure(path, error)
        }
    }

    /// One more byte than it has, to detect a file that is too long.
    private static func read(_ path: ByteString) throws(Failure) -> SecretBytes {
        let room = SecretBytes(count: SigningKeyFile.byteCount + 1)
        let count = try naming(path) { () throws(Errno) in
            let file = try openFile(path.cString, O_RDONLY | O_NOCTTY | O_NONBLOCK)
            return try room.withMutableBytes { buffer throws(Errno) in
                try readFully(file.raw, into: buffer, at: 0)
            }
        }
        return room.withBytes { SecretBytes(copying: .init(rebasing: $0[..<count])) }
    }

    /// A signature that counts for nothing would look like one that does.
    func require(_ role: Role, in root: Root) throws(Failure) {
        guard root.keys(of: role)[id] == nil else { return }
        let roles = Role.allCases.filter { root.keys(of: $0)[id] != nil }.map(\.rawValue)
        let known =
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

extension Failure {
    fileprivate init(_ path: ByteString, _ error: SigningKeyFile.Failure) {
        let status: ExitStatus =
            switch error {
            case .damaged: .damaged
            case .wrongPassphrase, .passphraseRequired: .wrongPassphrase
            case .notAKey, .newerVersion, .passphraseNotUsed: .usage
            case .derivation: .failure
            }
        self.init(
            status, "\(path.shown): \(error)",
            next: status == .wrongPassphrase ? "enter it again" : "name a signing key's file")
    }
}
